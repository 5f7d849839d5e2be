# Every target makes or refreshes .venv by itself. `make` alone lists them.

TORCH  :=
ONLY   :=
VENV   := $(if $(TORCH),.torch-$(TORCH),.venv)
PYTHON := $(VENV)/bin/python
PYTEST := $(PYTHON) -m pytest
SPHINX := $(PYTHON) -m sphinx -q -N -E -W -n -c . -d _build/doctrees docs _build/site
ALONE  := $(PYTHON) -m book.alone
SITE   := _build/html/index.html
# Anything newer than the site? Folders too: a file was deleted. Names may hold blanks, so make's own lists won't do.
STALE  := $(shell find conf.py docs snippets .ci/constraints.txt -newer $(SITE) -print -quit 2>&1)
# What an ended run leaves, should Python itself have ended: the snippet that ran.
ENDED   = { ended=$$?; [ ! -f _build/running ] || echo "`cat _build/running`: Python ended while this snippet ran." \
	"Look for os._exit, a crash, or a lack of memory." >&2; rm -f _build/running; exit $$ended; }
export PYTHONDONTWRITEBYTECODE = 1
export PYTHONHASHSEED = 0
export PYTHONPATH = docs/_ext

.PHONY: help html site doctest check test fix pin marks live bench clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

html: $(VENV)/made  ## run what changed, build the book, name the page to open
	@$(if $(STALE),$(ALONE) $(MAKE) --no-print-directory site)
	@echo "Open $(CURDIR)/$(SITE)"

doctest: $(VENV)/made  ## run every snippet (ONLY=lesson or lesson/name: some; TORCH=2.8.0: on that PyTorch)
	@$(ALONE) $(PYTEST) -qq snippets $(if $(ONLY),--only $(ONLY)) || $(ENDED)

check: doctest html  ## what to run before a pull request: snippets, book, quick tests; under a minute
	@$(PYTHON) -m ruff check -q . && $(PYTHON) -m ruff format -q --check .
	@$(PYTEST) -q -m "not slow" --changed

test: doctest html  ## everything
	@$(PYTHON) -m ruff check -q . && $(PYTHON) -m ruff format -q --check .
	@.ci/browser
	@$(PYTEST) -q

fix: $(VENV)/made  ## rewrite outputs, and the values bound to them, from a run; show the difference
	@$(ALONE) $(PYTHON) -m book.fix $(ONLY) || $(ENDED)

pin: .venv/made  ## render the book with another PyTorch from now on: TORCH=2.14.1
	@.venv/bin/python -m book.pin "$(TORCH)"

marks: $(VENV)/made  ## a page of all that pictures are made of, one example each
	@$(PYTHON) tests/marks.py

live: $(VENV)/made  ## build again on every change of a page or a snippet, and reload the browser
	@$(PYTHON) -m sphinx_autobuild -q -n -c . -d _build/live-doctrees --watch snippets --ignore '*/_evidence/*' \
		--pre-build "$(PYTEST) -qq snippets --stale" docs _build/live

bench: $(VENV)/made  ## the cost of checking: the doctest run over a bare run of the same code
	@$(PYTHON) tests/bench.py

clean:  ## delete what was built
	rm -rf _build

# Builds afresh each time, runs first what changed, and moves the site into place only when it is whole.
site:
	@touch _build/begun
	@rm -rf _build/site
	@$(SPHINX) 2>_build/said || { status=$$?; [ $$status = 3 ] || { cat _build/said >&2; exit $$status; }; \
		$(PYTEST) -qq snippets --stale || $(ENDED); $(SPHINX); }
	@rm -f _build/site/_static/*macros.html  # the theme's unrendered templates
	@rm -rf _build/html && mv _build/site _build/html
	@touch -r _build/begun $(SITE)  # what was changed meanwhile is newer

.venv/made: pyproject.toml .ci/constraints.txt
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "The book needs Python 3.11 or later; python3 is " + sys.version.split()[0] + ".")'
	python3 -m venv .venv
	$(PYTHON) -m pip install -q -c .ci/constraints.txt pip
	$(PYTHON) -m pip install -q -c .ci/constraints.txt --group book
	@touch $@

.torch-%/made: pyproject.toml .ci/constraints.txt
	python3 -m venv $(@D)
	grep -v '^torch==' .ci/constraints.txt > $(@D)/constraints.txt
	$(PYTHON) -m pip install -q -c $(@D)/constraints.txt pip
	$(PYTHON) -m pip install -q -c $(@D)/constraints.txt --group run torch==$* \
		|| { echo "TORCH=$*: pip can't install this PyTorch. Name a released version, such as TORCH=2.8.0." >&2; exit 1; }
	@touch $@
