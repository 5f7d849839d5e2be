# Every target makes or refreshes .venv by itself. `make` alone lists them.

TORCH  :=
ONLY   :=
VENV   := $(if $(TORCH),.torch-$(TORCH),.venv)
PYTHON := $(VENV)/bin/python
BOOK   := $(wildcard docs docs/*.md docs/_ext/*.py snippets snippets/* snippets/*/*)  # folders too: a file was deleted
SITE   := conf.py $(wildcard docs/_static/* docs/_templates/*)
PYTEST := $(PYTHON) -m pytest
export PYTHONDONTWRITEBYTECODE = 1

.PHONY: help html doctest check test fix live bench clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

html: _build/html/index.html  ## run what changed, build the book, name the page to open
	@echo "Open $(CURDIR)/_build/html/index.html"

doctest: $(VENV)/made  ## run every snippet (ONLY=lesson or lesson/name: some; TORCH=2.8.0: on that PyTorch)
	@$(PYTEST) -qq snippets $(if $(ONLY),--only $(ONLY))
	@$(if $(ONLY)$(TORCH),,mkdir -p _build && touch _build/doctest)

check: doctest html  ## what to run before a pull request: snippets, book, quick tests; under a minute
	@$(PYTEST) -q -m "not slow"

test: doctest html  ## everything
	@.ci/browser
	@$(PYTEST) -q

fix: $(VENV)/made  ## rewrite outputs, and the values bound to them, from a run; show the difference
	@$(PYTHON) docs/_ext/fix.py $(ONLY); status=$$?; git --no-pager diff -- 'docs/*.md' snippets 2>/dev/null; exit $$status

live: $(VENV)/made  ## build again on every change of a page or a snippet, and reload the browser
	@$(PYTHON) -m sphinx_autobuild -q -n -c . -d _build/live-doctrees --watch snippets --ignore '*/_evidence/*' \
		--pre-build "$(MAKE) --no-print-directory doctest" docs _build/live

bench: $(VENV)/made  ## the cost of checking: the doctest run over a bare run of the same code
	@$(PYTHON) tests/bench.py

clean:  ## delete what was built
	rm -rf _build

_build/doctest: $(BOOK) $(VENV)/made
	@$(MAKE) --no-print-directory doctest

# Built afresh each time, and moved into place only when it is whole.
_build/html/index.html: _build/doctest $(SITE)
	@rm -rf _build/site
	@$(PYTHON) -m sphinx -q -N -E -W -n -c . -d _build/doctrees docs _build/site
	@rm -f _build/site/_static/*macros.html  # the theme's unrendered templates
	@rm -rf _build/html && mv _build/site _build/html

.venv/made: pyproject.toml .ci/constraints.txt
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
