"""Bad input stops the build, every time: nothing is published, and a message says where, what is wrong, what to do."""

import os
import shutil
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from book import evidence
from book.problem import ROOT, Problem
from book.reading import snippets
from book.running import runs
from sharing import written
from small_book import FILES, again, as_bytes, messages, run, small_book, write
from test_engine import T_WARNING

SPHINX = ".venv/bin/python -m sphinx -q -N -E -W -n -c . -d _build/doctrees docs _build/site".split()
NO_SESSION = (
    "This line isn't in the form of an interactive session.\n"
    '    Begin code with ">>> " or "... " (the space included), at the left margin; see CONTRIBUTING.md.'
)
ADVICE = (
    "\n    Write it as a word, or bind it to a run: {verified}`4 <snippet: expression>`."
    " Free are versions, dates, and formulas or code that make no equality with a number;"
    " mark a figure that can't be run here: {not-run}`28 GB`."
)
NOT_BOUND = f" isn't bound to a run.{ADVICE}"

FORM = "\n    Its form is {verified}`4 <snippet: expression>` or {verified}`4 <snippet: expression | format>`."
READABLE = "\n    Use a name that the snippet leaves behind, or correct the expression or its format."
TORCH = ">>> import torch\n"
PINNED = evidence.pinned_version()
RESTORE = "\n    Restore it at the end."
EMPTY = 'This snippet is empty.\n    Write its code after ">>> " prompts, or delete the file.'
NO_EXAMPLE = (
    "This line belongs to no example: doctest would pass it over.\n"
    "    Put it right below the code that prints it, or delete it."
)
TOO_WIDE = (
    " characters; 72 fit the page.\n"
    "    Break the line (only a message, which begins with SomeError: or SomeWarning:, may be longer)."
)
LOOSE = "This doctest option would loosen the comparison.\n    Remove it; only +ELLIPSIS is allowed."
DIFFERS = "The output differs from what was run.\n    expected:\n        "
UNSHOWN = "No page shows this snippet.\n    Show it in docs/{}.md with a {{snippet}} block, or delete it."
NO_HTML = "A page holds no HTML: what it shows would escape every check.\n    Write it in Markdown."
NO_ROLE = "\n    Write it in Markdown. The book's roles are not-run, verified."
OPEN = (
    "This directive is never closed.\n"
    "    Close it with as many colons or backticks as it begins with, on a line of their own."
)
NOT_CLOSED = (
    "What stands in braces here is no role, and would be shown as raw text.\n"
    "    A role is {name}`text`, closed on its own line, no blank behind }; in a table write \\| for |; else use a code span."
)
IN_COMMENT = (
    " in this comment isn't checked by any run.\n"
    '    Write the figure as a word, or print it. Only versions ("PyTorch 2.13.0") and dates are free in a comment.'
)
UNSEEN = ", which can't be seen.\n    Delete that character."
CANNOT_BE_NAMED = (
    " can't be the name of a snippet.\n    Write {{{}}} name, or {{{}}} /lesson/name, in a-z, 0-9 and hyphens."
)
NO_ANSWER = (
    "This prediction has no answer.\n"
    "    Put what answers the question into :::{answer} … ::: right below the block. It is folded with the outputs."
)
NO_QUESTION = (
    "This answer stands below no prediction.\n"
    "    Move it right below a {snippet} block with :predict:, or take its text out of :::{answer}."
)
NEEDS_NO_RUN = (
    " uses no name that small/pair leaves behind, so no run stands behind it.\n"
    "    Use a name that the snippet leaves behind, or correct the expression or its format."
)
ONE_LINE = "A block takes one line, the question.\n    Write it as :predict: Which of the two is printed?"

# What is planted in a snippet snippets/bad/<name>.pycon, and its message behind that path.
SNIPPETS = {
    "empty": (
        "",
        f":1: {EMPTY}",
    ),
    "only-a-comment": (
        ">>> # nothing\n",
        f":1: {EMPTY}",
    ),
    "prompt-without-space": (
        ">>> print(1)\n1\n>>>print(2)\n2\n",
        f":3: {NO_SESSION}",
    ),
    "indented-continuation": (
        ">>> for x in [1]:\n  ...     print(x)\n1\n",
        f":2: {NO_SESSION}",
    ),
    "indented": (
        ">>> print(1)\n1\n  >>> print(2)\n  2\n",
        ":3: This prompt is indented.\n    Move the prompt to the left margin.",
    ),
    "not-python": (
        ">>> print(1)\n1\n>>> for x in [1]:\n...     print(x\n...\n1\n",
        ":4: This isn't Python: '(' was never closed.\n    Correct the code.",
    ),
    "without-output": (
        ">>> x = 1\n>>> y = 2\n",
        ":1: This snippet has no output, so nothing in it could turn out wrong.\n"
        "    Let it print a figure, then fill in the outputs: make fix ONLY=bad/without-output",
    ),
    "wide-code": (
        f">>> print('{'a' * 70}'[0])\na\n",
        f":1: This line has 86{TOO_WIDE}",
    ),
    "wide-output": (
        f">>> print('a' * 73)\n{'a' * 73}\n",
        f":2: This line has 73{TOO_WIDE}",
    ),
    "not-utf-8": (
        b">>> print(1)\n1\n>>> print('\xe9')\n",
        ":3: This file isn't UTF-8.\n    Save it as UTF-8.",
    ),
    "tab": (
        ">>> print(1)\n1\n>>> print('a\tb')\na\tb\n",
        ":3: This line has a tab, which doctest changes.\n    Use spaces.",
    ),
    "text-between": (
        ">>> print(1)\n1\n\nand now\n>>> print(2)\n2\n",
        f":4: {NO_EXAMPLE}",
    ),
    "output-under-comment": (
        ">>> print(1)\n1\n>>> # of two\n2\n",
        f":4: {NO_EXAMPLE}",
    ),
    "loosened": (
        ">>> print('a  b')  # doctest: +NORMALIZE_WHITESPACE\na b\n",
        f":1: {LOOSE}",
    ),
    "skipped": (
        ">>> print(1)\n1\n>>> print(2)  # doctest: +SKIP\n3\n",
        f":3: {LOOSE}",
    ),
    "output": (
        ">>> print(1)\n1\n>>> print('a'); print(3)\na\n4\n",
        f":3: {DIFFERS}"
        "a\n        4\n    printed:\n        a\n        3\n"
        "    If what it printed is right: make fix ONLY=bad/output",
    ),
    "output-left-out": (
        ">>> print(1)\n>>> print(2)\n2\n",
        f":1: {DIFFERS}"
        "(nothing)\n    printed:\n        1\n"
        "    If what it printed is right: make fix ONLY=bad/output-left-out",
    ),
    "raises": (
        ">>> print(1)\n1\n>>> print(wieght)\n2\n>>> print(3)\n4\n",
        f":3: {DIFFERS}"
        "2\n"
        "    printed:\n        Traceback (most recent call last):\n        NameError: name 'wieght' is not defined\n"
        "    This code raises. Correct it, or show the error as its output.",
    ),
    "warning": (
        f"{TORCH}>>> print(torch.ones(1, 1, 1).T.shape)\ntorch.Size([1, 1, 1])\n",
        f":2: {DIFFERS}"
        "torch.Size([1, 1, 1])\n"
        f"    printed:\n        {T_WARNING}        torch.Size([1, 1, 1])\n"
        "    If what it printed is right: make fix ONLY=bad/warning",
    ),
    "warning-of-the-compiler": (
        ">>> print(1 is 1)\nTrue\n",
        f":1: {DIFFERS}"
        "True\n"
        '    printed:\n        SyntaxWarning: "is" with a literal. Did you mean "=="?\n        True\n'
        "    If what it printed is right: make fix ONLY=bad/warning-of-the-compiler",
    ),
    "printed-to-stderr": (
        ">>> import sys\n>>> print(2, file=sys.stderr); print(1)\n1\n",
        f":2: {DIFFERS}"
        "1\n    printed:\n        2\n        1\n"
        "    If what it printed is right: make fix ONLY=bad/printed-to-stderr",
    ),
    "displayed": (
        ">>> x = 2\n>>> x\n2\n",
        ":2: This line shows a value without print(), so a script or a notebook would show something else.\n"
        "    Print the value, or give it a name.",
    ),
    "left-grad-mode": (
        f"{TORCH}>>> mode = torch.set_grad_enabled(False)\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: grad mode.{RESTORE}",
    ),
    "left-default-dtype": (
        f"{TORCH}>>> torch.set_default_dtype(torch.float64)\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: the default dtype.{RESTORE}",
    ),
    "left-anomaly-mode": (
        f"{TORCH}>>> mode = torch.autograd.set_detect_anomaly(True)\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: anomaly mode.{RESTORE}",
    ),
    "left-print-options": (
        f"{TORCH}>>> torch.set_printoptions(precision=2)\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: print options.{RESTORE}",
    ),
    "left-hooks": (
        f"{TORCH}>>> torch.autograd.graph.saved_tensors_hooks(id, id).__enter__()\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: saved-tensor hooks.{RESTORE}",
    ),
    "left-warning-filters": (
        ">>> import warnings\n>>> warnings.simplefilter('ignore')\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: warning filters.{RESTORE}",
    ),
    "left-no-warning-filters": (
        ">>> import warnings\n>>> warnings.resetwarnings()\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: warning filters.{RESTORE}",
    ),
    "left-two": (
        f"{TORCH}>>> torch.set_default_dtype(torch.float64)\n>>> mode = torch.set_grad_enabled(False); print(1)\n1\n",
        f":3: This snippet leaves changed: the default dtype, grad mode.{RESTORE}",
    ),
    "never-shown": (
        ">>> print(1)\n1\n",
        f":1: {UNSHOWN.format('bad')}",
    ),
    "figure-in-a-comment": (
        ">>> x = 2  # twice one\n>>> print(x)  # prints 777\n2\n",
        f":2: The figure '777'{IN_COMMENT}",
    ),
    "figure-in-a-comment-line": (
        ">>> # 777 in all\n>>> print(1)\n1\n",
        f":1: The figure '777'{IN_COMMENT}",
    ),
    "figure-in-a-docstring": (
        ">>> def two():\n...     'Gives 777.'\n...     return 2\n...\n>>> print(two())\n2\n",
        f":2: The figure '777'{IN_COMMENT}",
    ),
    "windows-lines": (
        b">>> print(1)\r\n1\r\n",
        ":1: This line ends as lines do on Windows (CR LF).\n    Save the file with LF line ends.",
    ),
    "byte-order-mark": (
        b"\xef\xbb\xbf>>> print(1)\n1\n",
        ':1: This file begins with a byte-order mark.\n    Save it as UTF-8 "without BOM".',
    ),
    "right-to-left": (
        ">>> print(1)\n1\n>>> print('\u202e')\n\u202e\n",
        f":3: This line holds U+202E RIGHT-TO-LEFT OVERRIDE{UNSEEN}",
    ),
    "zero-width-output": (
        ">>> print(chr(8203) + '1')\n\u200b1\n",
        f":2: This line holds U+200B ZERO WIDTH SPACE{UNSEEN}",
    ),
    "no-break-space": (
        ">>> print('a\u00a0b')\na\u00a0b\n",
        f":1: This line holds U+00A0 NO-BREAK SPACE{UNSEEN}",
    ),
    "blank-at-the-end": (
        ">>> print('a ')\na\n",
        f":1: {DIFFERS}a⏎\n    printed:\n        a·⏎\n    If what it printed is right: make fix ONLY=bad/blank-at-the-end",
    ),
    "two-blanks": (
        ">>> print('a  b')\na b\n",
        f":1: {DIFFERS}a b⏎\n    printed:\n        a  b⏎\n    If what it printed is right: make fix ONLY=bad/two-blanks",
    ),
    "left-inference-mode": (
        f"{TORCH}>>> mode = torch.inference_mode(); mode.__enter__()\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: grad mode, inference mode.{RESTORE}",
    ),
    "left-an-attribute-of-torch": (
        f"{TORCH}>>> torch.Tensor.exp = torch.Tensor.sigmoid\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: Tensor.exp.{RESTORE}",
    ),
    "left-a-function-of-torch": (
        f"{TORCH}>>> torch.nn.functional.relu = abs\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: torch.nn.functional.relu.{RESTORE}",
    ),
    "left-a-method-of-a-layer": (
        f"{TORCH}>>> torch.nn.Linear.forward = lambda self, x: x\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: Linear.forward.{RESTORE}",
    ),
    "left-a-builtin": (
        ">>> import builtins\n>>> builtins.sum = max\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: builtins.sum.{RESTORE}",
    ),
    "left-the-environment": (
        ">>> import os\n>>> os.environ['SEEN'] = 'yes'\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: the environment.{RESTORE}",
    ),
    "left-the-folder": (
        ">>> import os\n>>> os.chdir('/')\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: the working folder.{RESTORE}",
    ),
    "left-a-file": (
        ">>> from pathlib import Path\n>>> print(Path('figures').write_text('7'))\n1\n",
        f":2: This snippet leaves changed: the working folder.{RESTORE}",
    ),
    "left-an-operator": (
        f"{TORCH}>>> torch.Tensor.__mul__ = torch.Tensor.__add__\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: Tensor.__mul__.{RESTORE}",
    ),
    "left-a-thread": (
        ">>> import threading\n>>> threading.Timer(1, print).start()\n>>> print(1)\n1\n",
        f":3: This snippet leaves changed: a running thread.{RESTORE}",
    ),
    "left-hooks-on-modules": (
        f"{TORCH}>>> from torch.nn.modules import module\n"
        ">>> hook = module.register_module_forward_hook(print)\n>>> print(1)\n1\n",
        f":4: This snippet leaves changed: hooks on all modules.{RESTORE}",
    ),
    "imports-the-engine": (
        ">>> from book.reading import names\n>>> print(1)\n1\n",
        f":1: {DIFFERS}(nothing)\n    printed:\n        Traceback (most recent call last):\n"
        "        ModuleNotFoundError: No module named 'book.reading'; 'book' is not a package\n"
        "    This code raises. Correct it, or show the error as its output.",
    ),
    "figure-for-dots": (
        ">>> print('1/2e-05')  # doctest: +ELLIPSIS\n1...\n",
        f":1: {DIFFERS}1...\n    printed:\n        1/2e-05\n"
        "    If what it printed is right: make fix ONLY=bad/figure-for-dots",
    ),
    "hash-order": (
        ">>> print(*{'one', 'two', 'three'})\none two three\n",
        f":1: {DIFFERS}one two three\n    printed:\n        three one two\n"
        "    If what it printed is right: make fix ONLY=bad/hash-order",
    ),
}

# What is planted in a page docs/<name>.md below its title and a blank line, and its message behind that path.
ANSWER = "\n:::{answer}\nYes.\n:::\n"
CODE = (
    "A page holds no code of its own: nobody would run it.\n"
    "    Move it to snippets/{}/<name>.pycon and show it with {{snippet}} <name>."
    " The book's other directives are answer, dropdown, evidence, math, meters, note, picture, tip, toctree, warning."
)
PAGES = {
    "value": (
        "Both are {verified}`4 </small/pair: weight>`.\n",
        ":3: The page says 4, but weight in small/pair is 3.\n    If the run is right: make fix ONLY=small/pair",
    ),
    "value-with-format": (
        "The norm is {verified}`4.1 </small/pair: weight.norm() | .1f>`.\n",
        ":3: The page says 4.1, but weight.norm() in small/pair is 4.2.\n"
        "    If the run is right: make fix ONLY=small/pair",
    ),
    "name-unknown": (
        "Both\nare {verified}`3 </small/pair: wieght>`.\n",
        f":4: 'wieght' can't be read from small/pair: NameError: name 'wieght' is not defined.{READABLE}",
    ),
    "format-unknown": (
        "Both are {verified}`3 </small/pair: weight | .0q>`.\n",
        ":3: 'weight' can't be read from small/pair: ValueError: Unknown format code 'q' for object of type 'float'."
        f"{READABLE}",
    ),
    "expression-broken": (
        "Both are {verified}`3 </small/pair: weight.>`.\n",
        f":3: This value can't be read: 'weight.' isn't an expression (invalid syntax).{FORM}",
    ),
    "role-without-snippet": (
        "Both are {verified}`3`.\n",
        f":3: This value can't be read: '3' has no <snippet: expression> behind the value.{FORM}",
    ),
    "role-without-expression": (
        "Both are {verified}`3 </small/pair>`.\n",
        f":3: This value can't be read: '3 </small/pair>' has no <snippet: expression> behind the value.{FORM}",
    ),
    "role-unknown": (
        "Both are {verifed}`3 </small/pair: weight>`.\n",
        f":3: The book has no role {{verifed}}.{NO_ROLE}",
    ),
    "role-that-escapes": (
        "There are {math}`42`.\n",
        f":3: The book has no role {{math}}.{NO_ROLE}",
    ),
    "role-not-closed": (
        "Both are {verified}`three </small/pair: weight>.\n",
        f":3: {NOT_CLOSED}",
    ),
    "role-in-table": (
        "| sum |\n| --- |\n| {verified}`six </small/pair: weight.sum() | s>` |\n",
        f":5: {NOT_CLOSED}",
    ),
    "asked-but-missing": (
        "Text\n\n```{snippet} /small/sqare\n```\n",
        ":5: There is no snippet small/sqare.\n    Did you mean small/square?",
    ),
    "asked-in-a-role": (
        "Both are {verified}`3 </small/piar: weight>`.\n",
        ":3: There is no snippet small/piar.\n    Did you mean small/pair?",
    ),
    "asked-and-nothing-near": (
        "```{snippet} /small/checkpoint\n```\n",
        ":3: There is no snippet small/checkpoint.\n    Write snippets/small/checkpoint.pycon, or correct the name.",
    ),
    "picture-missing": (
        "```{picture} /small/pair\n```\n",
        ":3: There is no picture of small/pair.\n    Write snippets/small/pair.picture.py, or correct the name.",
    ),
    "number": (
        "One line,\nand then there are 42,\nthat nobody counted.\n",
        f":4: The number '42'{NOT_BOUND}",
    ),
    "number-that-looks-like-a-year": (
        "It takes 2048 bytes.\n",
        f":3: The number '2048'{NOT_BOUND}",
    ),
    "number-without-ascii": (
        "About ½ of them.\n",
        f":3: The number '½'{NOT_BOUND}",
    ),
    "number-in-a-table": (
        "| size | count |\n| --- | --- |\n| small | one |\n| large | 42 |\n",
        f":6: The number '42'{NOT_BOUND}",
    ),
    "number-in-a-heading": (
        "Text\n\n## All 42 of them\n",
        f":5: The number '42'{NOT_BOUND}",
    ),
    "number-in-a-dropdown": (
        "::::{dropdown} Answer\n:open:\n\nIt is\n42.\n::::\n",
        f":7: The number '42'{NOT_BOUND}",
    ),
    "number-in-a-title": (
        "::::{dropdown} All 42\nof them.\n::::\n",
        f":3: The number '42'{NOT_BOUND}",
    ),
    "number-in-a-nested-list": (
        "::::{note}\n- one\n  - and\n    42\n::::\n",
        f":6: The number '42'{NOT_BOUND}",
    ),
    "number-in-a-prediction": (
        f"```{{snippet}} /small/pair\n:predict: Are there 42 of them?\n```\n{ANSWER}",
        f":4: The number '42'{NOT_BOUND}",
    ),
    "number-in-an-indented-prediction": (
        f"```{{snippet}} /small/pair\n  :predict: Are there 42 of them?\n```\n{ANSWER}",
        f":4: The number '42'{NOT_BOUND}",
    ),
    "prediction-of-two-lines": (
        f"```{{snippet}} /small/pair\n:predict: Are there\n   42 of them?\n```\n{ANSWER}",
        f":5: {ONE_LINE}",
    ),
    "prediction-in-yaml": (
        "```{snippet} /small/pair\n---\npredict: Are there 42?\n---\n```\n",
        f":4: {ONE_LINE}",
    ),
    "number-as-code": (
        "There are `42` of them.\n",
        f":3: The number '42'{NOT_BOUND}",
    ),
    "numbers-as-code": (
        "They are `(4, 3)`.\n",
        f":3: The numbers '4' and '3' aren't bound to a run.{ADVICE}",
    ),
    "exponent-as-code": (
        "It is `1e-3`.\n",
        f":3: The number '1e-3'{NOT_BOUND}",
    ),
    "number-as-formula": (
        "There are $42$ of them.\n",
        f":3: The number '42'{NOT_BOUND}",
    ),
    "number-as-block-formula": (
        "$$\n42\n$$\n",
        f":3: The number '42'{NOT_BOUND}",
    ),
    "number-below-broken-code": (
        "The call `weight.sum(\ndim=0)` and the value {verified}`3\n</small/pair: weight>` stand\nabove 42.\n",
        f":6: The number '42'{NOT_BOUND}",
    ),
    "code-fence": (
        "Text\n\n```python\nprint(1)\n```\n",
        f":5: {CODE.format('code-fence')}",
    ),
    "code-fence-in-a-dropdown": (
        "::::{dropdown} Answer\n\n```\nprint(1)\n```\n::::\n",
        f":5: {CODE.format('code-fence-in-a-dropdown')}",
    ),
    "code-indented": (
        "Text\n\n    print(1)\n",
        f":5: {CODE.format('code-indented')}",
    ),
    "code-block": (
        "```{code-block} python\nprint(1)\n```\n",
        f":3: {CODE.format('code-block')}",
    ),
    "code-block-of-colons": (
        ":::{code-block} python\nprint(1)\n:::\n",
        f":3: {CODE.format('code-block-of-colons')}",
    ),
    "directive-unknown": (
        "::::{hint}\nThere are 42.\n::::\n",
        f":3: {CODE.format('directive-unknown')}",
    ),
    "not-utf-8": (
        b"One\nand \xe9.\n",
        ":4: This file isn't UTF-8.\n    Save it as UTF-8.",
    ),
    "dropdown-not-closed": (
        "::::{dropdown} Answer\nOne.\n\n## Read further\n",
        f":3: {OPEN}",
    ),
    "dropdown-closed-by-another": (
        "::::{dropdown} One\nOne.\n\n::::{dropdown} Two\nTwo.\n::::\n",
        f":6: {OPEN}",
    ),
    "block-not-closed": (
        "```{snippet} /small/pair\n",
        f":3: {OPEN}",
    ),
    "image": (
        "One\n![a gradient of one](gradient.svg)\n",
        ":4: A page holds no image of its own: no run drew it.\n    Draw it from a snippet's run: {picture} <name>.",
    ),
    "arithmetic-as-formula": (
        "It is $7 + 8 = 15$.\n",
        f":3: The numbers '7' and '8' and '15' aren't bound to a run.{ADVICE}",
    ),
    "html": (
        "<pre>print(1)</pre>\n",
        f":3: {NO_HTML}",
    ),
    "html-in-a-line": (
        "One\n<b>and</b> all.\n",
        f":4: {NO_HTML}",
    ),
    "value-that-needs-no-run": (
        "Both are {verified}`777 </small/pair: 777>`.\n",
        f":3: '777'{NEEDS_NO_RUN}",
    ),
    "word-that-needs-no-run": (
        "Both are {verified}`seven </small/pair: 'seven'>`.\n",
        f""":3: "'seven'"{NEEDS_NO_RUN}""",
    ),
    "value-of-a-module": (
        "Both are {verified}`777 </small/pair: torch.tensor(777)>`.\n",
        f":3: 'torch.tensor(777)'{NEEDS_NO_RUN}",
    ),
    "value-of-no-name": (
        "Both are {verified}`3 </../pair: weight>`.\n",
        f":3: This value can't be read: '/../pair' can't be the name of a snippet.{FORM}",
    ),
    "blank-behind-a-role": (
        "Both are {verified} `three </small/pair: weight>`.\n",
        f":3: {NOT_CLOSED}",
    ),
    "footnote": (
        "One[^m].\n\n[^m]: There are 777.\n",
        ":3: A page holds no footnotes.\n{file}:5: A page holds no footnotes.\n    Say it in the text, or leave it out.\n"
        f"{{file}}:5: The number '777'{NOT_BOUND}",
    ),
    "comment": (
        "One.\n\n% there are many\n",
        ":5: A page holds no comment: nobody reads it, and no check.\n    Say it in the commit's message.",
    ),
    "block-break": (
        "One.\n\n+++\n",
        ":5: A page holds no myst block break.\n    Write it in the Markdown of the other pages.",
    ),
    "formula-on-the-first-line": (
        "```{math} w.grad = 777\n```\n",
        ":3: {math} takes nothing on its first line.\n    Write it below, or delete it.",
    ),
    "formula-with-an-option": (
        "```{math}\n:label: there-are-777\na + b\n```\n",
        f":4: {{math}} has no option label here.\n    Delete it.\n{{file}}:4: The number 'there-are-777'{NOT_BOUND}",
    ),
    "claim-as-a-formula": (
        "So $w.grad = 777$ in all.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "claim-as-code": (
        "So `weight.grad == 777` in all.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "claim-as-an-assignment": (
        "So `weight.grad = 777` in all.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "list-that-starts-at-a-figure": (
        "24. is the sum.\n",
        f":3: The number '24'{NOT_BOUND}",
    ),
    "link-title": (
        'See [there](small.md "All 777 of them").\n',
        f":3: The number '777'{NOT_BOUND}",
    ),
    "link-text": (
        "See [all 777](small.md).\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "count-that-looks-like-a-version": (
        "It ran on PyTorch 777 times.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "words-in-a-formula": (
        "$$\n\\text{w.grad is 777}\n$$\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "claim-in-aligned-formulas": (
        "```{math}\n\\begin{aligned} x &= 777 \\end{aligned}\n```\n",
        f":4: The number '777'{NOT_BOUND}",
    ),
    "claim-as-a-sum": (
        "So `weight.grad == 2 * 777` in all.\n",
        f":3: The numbers '2' and '777' aren't bound to a run.{ADVICE}",
    ),
    "claim-with-an-arrow": (
        "So `weight.grad -> 777` in all.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "text-of-a-role": (
        "See {doc}`all 777 <small>`.\n",
        f":3: The book has no role {{doc}}.{NO_ROLE}",
    ),
    "left-over-from-a-merge": (
        "<<<<<<< HEAD\nOne\n=======\nTwo\n>>>>>>> other\n",
        ":3: This line is left over from a merge.\n    Choose one side and delete the marks.",
    ),
    "link-with-a-blank": (
        "See [it](one page.md).\n",
        ":3: This link would be shown as raw text.\n"
        "    Write [words](page.md) or [words](https://…), without a blank in the address.",
    ),
    "second-title": (
        "One.\n\n# Another\n",
        ":5: A heading of level 1 can't stand below one of level 1.\n"
        "    A page has one title, #; below it ##, and ### below that.",
    ),
    "level-left-out": (
        "One.\n\n### Below nothing\n",
        ":5: A heading of level 3 can't stand below one of level 1.\n"
        "    A page has one title, #; below it ##, and ### below that.",
    ),
    "pasted-output": (
        "It is `tensor(777., grad_fn=<MulBackward0>)` now.\n",
        f":3: The number '777.'{NOT_BOUND}",
    ),
    "bytes-as-code": (
        "It takes `777 bytes` now.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "shape-as-code": (
        "It is `torch.Size([777, 3])` now.\n",
        f":3: The numbers 'torch.Size([777' and '3]' aren't bound to a run.{ADVICE}",
    ),
    "formula-with-a-unit": (
        "It is $w = 777\\,B$ now.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "entity": (
        "There are &#55;&#55;&#55;.\n",
        f":3: The number '777'{NOT_BOUND}",
    ),
    "substitution": (
        "There are {{ many }}.\n",
        f":3: {NOT_CLOSED}",
    ),
    "several-numbers": (
        "The 42 and the 43\nand 44.\n",
        f":3: The numbers '42' and '43' aren't bound to a run.\n{{file}}:4: The number '44'{NOT_BOUND}",
    ),
    "name-that-climbs": (
        "```{snippet} /../docs/evil\n```\n",
        f":3: '/../docs/evil'{CANNOT_BE_NAMED.format('snippet', 'snippet')}",
    ),
    "name-of-a-folder-below": (
        "```{picture} /small/sub/x\n```\n",
        f":3: '/small/sub/x'{CANNOT_BE_NAMED.format('picture', 'picture')}",
    ),
    "right-to-left": (
        "One\nand \u202etwo\u202c.\n",
        f":4: This line holds U+202E RIGHT-TO-LEFT OVERRIDE{UNSEEN}",
    ),
    "soft-hyphen": (
        "One gra\u00addient.\n",
        f":3: This line holds U+00AD SOFT HYPHEN{UNSEEN}",
    ),
    "prediction-without-an-answer": (
        "```{snippet} /small/pair\n:predict: Which?\n```\n\nThree.\n",
        f":3: {NO_ANSWER}",
    ),
    "prediction-at-the-end": (
        "```{snippet} /small/pair\n:predict: Which?\n```\n",
        f":3: {NO_ANSWER}",
    ),
    "answer-to-nothing": (
        f"```{{snippet}} /small/pair\n```\n{ANSWER}",
        f":6: {NO_QUESTION}",
    ),
    "toctree-of-its-own": (
        "```{toctree}\nsmall\n```\n",
        ":4: Only docs/index.md has a toctree.\n    List the page there.",
    ),
    "link-to-no-page": (
        "See [it](large.md).\n",
        ":3: The link to 'large.md' leads nowhere.\n"
        "    Write page.md, page.md#heading-in-small-letters, or an address that begins with https://.",
    ),
    "link-to-no-heading": (
        "See [it](small.md#large).\n",
        ":3: 'small.md#large': that page has no such heading.\n    It has: small, snippet-pair, snippet-square.",
    ),
    "link-without-a-secret": (
        "See [it](http://example.org).\n",
        ":3: The link to 'http://example.org' leads nowhere.\n"
        "    Write page.md, page.md#heading-in-small-letters, or an address that begins with https://.",
    ),
    "two-headings-alike": (
        "## Again\n\nOne.\n\n## Again\n\nTwo.\n",
        ":1: Two headings of this page are called 'again'.\n    Give each its own words.",
    ),
    "release-that-nothing-vouches-for": (
        "On PyTorch 2.8.0 it is another.\n",
        f":3: Nothing in this paragraph is bound to PyTorch 2.8.0.\n"
        f"    Bind what it says to that release's run, {{verified}}`4 <snippet: expression @ {PINNED}>`"
        f" (there are runs on {PINNED}), or mark the words: {{not-run}}`since PyTorch 2.0`.",
    ),
}
# The same in a picture snippets/bad/<name>.picture.py of one of the snippets above.
NO_PICTURE_SHOWN = "No page shows this picture.\n    Show it with a {picture} directive, or delete it."
PICTURES = {
    "never-shown": (
        "def draw(names):\n    return names['y']\n",
        f":1: {NO_PICTURE_SHOWN}",
    ),
}
PLANTED = {f"snippets/bad/{name}.pycon": planted for name, planted in SNIPPETS.items()}
PLANTED |= {f"snippets/bad/{name}.picture.py": planted for name, planted in PICTURES.items()}
PLANTED |= {f"docs/{name}.md": planted for name, planted in PAGES.items()}


def index(*pages: str) -> str:
    """A landing page that lists these pages."""
    links = "\n".join(f"- [it]({name}.md)" for name in pages)
    return f"# A book\n\n{links}\n\n```{{toctree}}\n{chr(10).join(pages)}\n```\n"


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A book that was never built, with every piece of bad input in a file of its own."""
    book = small_book(tmp_path_factory.mktemp("planted"))
    write(book, {f"snippets/bad/{name}.pycon": text for name, (text, _) in SNIPPETS.items()})
    write(book, {f"snippets/bad/{name}.picture.py": text for name, (text, _) in PICTURES.items()})
    write(book, {f"docs/{name}.md": b"# A page\n\n" + as_bytes(text) for name, (text, _) in PAGES.items()})
    shown = [f"```{{snippet}} {name}\n```\n" for name in SNIPPETS if name != "never-shown"]
    write(book, {"docs/bad.md": "# Bad\n\n" + "\n".join(shown), "docs/index.md": index("small", "bad", *PAGES)})
    return book


@pytest.fixture(scope="module")
def stopped(planted):
    """The messages with which make doctest stops there, by file; make html stops as well."""
    assert run(planted, "make", "html")[0] == 2
    status, output = run(planted, "make", "doctest")
    assert status == 2
    assert not (planted / "_build" / "html").exists()
    found = defaultdict(list)
    for message in messages(output):
        found[message.split(":")[0]].append(message)
    return found


@pytest.mark.parametrize("file", PLANTED)
def test_the_message(stopped, file):
    assert "\n".join(stopped[file]) == file + PLANTED[file][1].replace("{file}", file)


def test_no_other_message(stopped):
    assert set(stopped) == set(PLANTED)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A small book, built."""
    book = small_book(tmp_path_factory.mktemp("published"))
    status, output = run(book, "make", "html")
    assert status == 0, output
    return book


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def changed(file: str, old: str, new: str) -> dict[str, str]:
    """The file, with one thing changed."""
    assert FILES[file].count(old) == 1
    return {file: FILES[file].replace(old, new)}


START = (ROOT / "docs/_ext/book/running/start.py").read_text("utf-8")
PLACES = "Pages are docs/<lesson>.md, snippets snippets/<lesson>/<name>.pycon, in a-z, 0-9 and hyphens."
STRAYS = {
    "docs/Large.md": PLACES,
    "docs/large.rst": PLACES,
    "docs/more/large.md": PLACES,
    "snippets/large.pycon": PLACES,
    "snippets/small/Large.PYCON": PLACES,
    "snippets/small/a name.pycon": PLACES,
    "snippets/small/more/large.pycon": PLACES,
}
# One of each place where the way to a published book can end.
STOPS = {
    "an output": (
        changed("snippets/small/square.pycon", "[2., 4.]", "[2., 5.]"),
        f"snippets/small/square.pycon:5: {DIFFERS}tensor([2., 5.])\n    printed:\n        tensor([2., 4.])\n"
        "    If what it printed is right: make fix ONLY=small/square",
    ),
    "a bound value": (
        changed("docs/small.md", "3 <pair", "4 <pair"),
        "docs/small.md:11: The page says 4, but weight in small/pair is 3.\n"
        "    If the run is right: make fix ONLY=small/pair",
    ),
    "a number in prose": (
        changed("docs/small.md", "Both", "All 42"),
        f"docs/small.md:11: The number '42'{NOT_BOUND}",
    ),
    "a snippet deleted": (
        {"snippets/small/pair.pycon": None},
        "docs/small.md:11: There is no snippet small/pair.\n"
        "docs/small.md:13: There is no snippet small/pair.\n"
        "    Write snippets/small/pair.pycon, or correct the name.",
    ),
    "a page deleted": (
        {"docs/small.md": None},
        "docs/index.md:3: The link to 'small.md' leads nowhere.\n"
        "    Write page.md, page.md#heading-in-small-letters, or an address that begins with https://.\n"
        "docs/index.md:6: There is no page docs/small.md.\n    Correct the name.\n"
        f"snippets/small/pair.pycon:1: {UNSHOWN.format('small')}\n"
        f"snippets/small/square.picture.py:1: {NO_PICTURE_SHOWN}\n"
        f"snippets/small/square.pycon:1: {UNSHOWN.format('small')}",
    ),
    "formulas": (
        changed("docs/small.md", "Both", "By $\\colorbox{red}{x}$ and\n\n$$\n\\substack{a}\n$$\n\nboth"),
        'docs/small.md:11: This formula can\'t be converted: Unknown command "\\colorbox".\n'
        'docs/small.md:13: This formula can\'t be converted: Unknown command "\\substack".\n'
        "    Write it in simpler LaTeX.",
    ),
    "files where no check looks": (
        {name: "There are 777.\n" for name in STRAYS},
        "".join(f"{name}:1: Nothing reads a file of this name in this place.\n    {STRAYS[name]}\n" for name in STRAYS)[
            :-1
        ],
    ),
    "a dangling link": (
        {"snippets/small/large.pycon": Path("nowhere")},
        "snippets/small/large.pycon:1: This file can't be read: No such file or directory.\n"
        "    Delete the link, or mend it.\n"
        f"snippets/small/large.pycon:1: {UNSHOWN.format('small')}",
    ),
    "front matter": (
        {"docs/small.md": f"---\nthere: 777\n---\n{FILES['docs/small.md']}"},
        "docs/small.md:1: A page holds no front matter.\n    Delete it; a page begins with its title.",
    ),
    "a caption and a title in the toctree": (
        changed("docs/index.md", "small\n```", ":caption: All 777\n\nsmall\nThe 777 <small>\n```"),
        f"docs/index.md:6: The number '777'{NOT_BOUND}\n"
        "docs/index.md:9: A page is listed under its own title.\n    Write the page's name alone.",
    ),
    "a page outside the toctree and the map": (
        {"docs/large.md": "# Large\n\nOne.\n"},
        "docs/large.md:1: No toctree lists this page.\n    List it in docs/index.md.",
    ),
    "a page missing from the map": (
        {"docs/large.md": "# Large\n\nOne.\n"} | changed("docs/index.md", "small\n```", "small\nlarge\n```"),
        "docs/large.md:1: The landing page's map doesn't tell of this page.\n"
        "    Add a line with a link to large.md to docs/index.md.",
    ),
    "a toctree that lists itself": (
        changed("docs/index.md", "small\n```", "small\nindex\n```"),
        "docs/index.md:7: There is no page docs/index.md.\n    Correct the name.",
    ),
    "a picture without a snippet": (
        {"snippets/small/large.picture.py": FILES["snippets/small/square.picture.py"]}
        | changed("docs/small.md", "{picture} square", "{picture} large"),
        "docs/small.md:8: There is no snippet small/large.\n"
        "    Write snippets/small/large.pycon, or correct the name.\n"
        "snippets/small/large.picture.py:1: Nothing reads a file of this name in this place.\n"
        "    A picture is called as its snippet is: snippets/<lesson>/<name>.picture.py.\n"
        f"snippets/small/square.picture.py:1: {NO_PICTURE_SHOWN}",
    ),
    "evidence of the pinned version beside it": (
        {f"snippets/_evidence/{PINNED}.json": "{}"},
        f"snippets/_evidence/{PINNED}.json:1: This is evidence of the PyTorch that the book is rendered with,"
        " whose runs are made anew each time.\n    Delete it, or move the pin with: make pin TORCH=…",
    ),
    "evidence under another version's name": (
        {"snippets/_evidence/2.9.0.json": '{"torch": "2.8.0", "engine": "", "snippets": {}}'},
        "snippets/_evidence/2.9.0.json:1: This evidence is of PyTorch 2.8.0, and its file named for another.\n"
        "    Delete it, then run: make doctest TORCH=2.9.0",
    ),
    "a value of a release that wasn't run": (
        changed("docs/small.md", "3 <pair: weight>", "3 <pair: weight @ 2.8.0>"),
        "docs/small.md:11: The value 3 hasn't been compared with a run on PyTorch 2.8.0.\n"
        "    Run: make doctest TORCH=2.8.0, and commit its evidence; or take the sentence out.",
    ),
    "code that doesn't end": (
        changed("snippets/small/pair.pycon", ">>> print", ">>> while True:\n...     weight + weight\n...\n>>> print")
        | {"docs/_ext/book/running/start.py": START.replace("LIMIT = 60", "LIMIT = 1")},
        "snippets/small/pair.pycon:3: This code was stopped: the snippet has run for 1 seconds.\n"
        "    Look for a loop that doesn't end, or make its work smaller.",
    ),
    "Python itself ended": (
        changed("snippets/small/pair.pycon", ">>> print", ">>> import os; os._exit(3)\n>>> print"),
        "snippets/small/pair.pycon:1: Python ended while this snippet ran."
        " Look for os._exit, a crash, or a lack of memory.",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("files, expected", STOPS.values(), ids=STOPS)
def test_it_stops_every_time_and_publishes_nothing(published, tmp_path, files, expected):
    book = again(published, tmp_path / "book")
    before = contents(book / "_build" / "html")
    write(book, files)

    status, output = run(book, "make", "html")
    assert (status, "\n".join(messages(output))) == (2, expected)
    assert contents(book / "_build" / "html") == before, "what had been published is changed"

    (book / "_build" / "html").rename(tmp_path / "html")
    status, output = run(book, "make", "html")
    assert (status, "\n".join(messages(output))) == (2, expected)
    assert not (book / "_build" / "html").exists()


REMEDY = "\n    Run: make doctest"
EVIDENCE = {
    "missing": (
        {"_build/evidence.json": None},
        f"_build/evidence.json:1: No snippet has been run yet, or what was left is damaged.{REMEDY}",
    ),
    "damaged": (
        {"_build/evidence.json": "<<<<<<< HEAD\n"},
        f"_build/evidence.json:1: No snippet has been run yet, or what was left is damaged.{REMEDY}",
    ),
    "damaged, of another PyTorch": (
        {"snippets/_evidence/2.8.0.json": "<<<<<<< HEAD\n"},
        "snippets/_evidence/2.8.0.json:1: This evidence can't be read.\n"
        "    Delete it, then run: make doctest TORCH=2.8.0",
    ),
    "of another output": (
        changed("snippets/small/pair.pycon", "[3., 3.]", "[3., 4.]"),
        f"snippets/small/pair.pycon:1: This snippet has changed since it was last run.{REMEDY}",
    ),
    "of other code": (
        changed("snippets/small/pair.pycon", "3.)", "4.)"),
        f"snippets/small/pair.pycon:1: This snippet has changed since it was last run.{REMEDY}",
    ),
    "of a snippet that can't be read now": (
        {"snippets/small/square.pycon": ""},
        f"snippets/small/square.pycon:1: {EMPTY}",
    ),
    "of another picture": (
        changed("snippets/small/square.picture.py", "computed", "computes"),
        f"snippets/small/square.picture.py:1: This picture hasn't been drawn since it last changed.{REMEDY}",
    ),
    "of another bound value": (
        changed("docs/small.md", "3 <pair", "4 <pair"),
        f"docs/small.md:11: The value 4 hasn't been compared with a run yet.{REMEDY}",
    ),
    "of another bound expression": (
        changed("docs/small.md", "pair: weight", "pair: weight[0]"),
        f"docs/small.md:11: The value 3 hasn't been compared with a run yet.{REMEDY}",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("files, expected", EVIDENCE.values(), ids=EVIDENCE)
def test_evidence_that_does_not_fit(published, tmp_path, files, expected):
    book = again(published, tmp_path / "book")
    write(book, files)
    assert run(book, *SPHINX) == (3 if expected.endswith(REMEDY) else 1, f"{expected}\n")
    assert not list((book / "_build" / "site").rglob("*.html")), "pages were written before the evidence was looked at"


def replaced(book, file: str, old: str, new: str) -> None:
    text = (book / file).read_text("utf-8")
    assert old in text
    write(book, {file: text.replace(old, new, 1)})


@pytest.mark.slow
@pytest.mark.parametrize("files", [{"_build/evidence.json": "{"}, {"_build/pictures/small/square.json": "{"}])
def test_what_a_full_disk_damaged_is_made_anew(published, tmp_path, files):
    book = again(published, tmp_path / "book")
    write(book, files | changed("docs/small.md", "Both", "Two"))
    status, output = run(book, "make", "html")
    assert status == 0, output
    assert "Two weights" in (book / "_build" / "html" / "small.html").read_text("utf-8")


@pytest.mark.slow
def test_a_typo_runs_no_snippet_and_a_change_runs_its_own(published, tmp_path):
    book = again(published, tmp_path / "book")
    evidence = (book / "_build" / "evidence.json").read_bytes()
    write(book, changed("docs/small.md", "Both", "Two"))
    assert run(book, "make", "html") == (0, f"Open {book}/_build/html/index.html\n")
    assert (book / "_build" / "evidence.json").read_bytes() == evidence
    write(book, changed("snippets/small/pair.pycon", ">>> print", ">>> third = weight[1:]\n>>> print"))
    status, output = run(book, "make", "html")
    assert status == 0 and "1 snippets, 1 outputs, 1 values in prose: all hold" in output


@pytest.mark.slow
def test_two_builds_at_once(published, tmp_path):
    book = again(published, tmp_path / "book")
    write(book, changed("docs/small.md", "Both", "Two"))
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: run(book, "make", "html"), range(2)))
    assert [status for status, _ in done] == [0, 0], done
    assert sum("Waiting for another run or build" in output for _, output in done) <= 1
    assert "Two weights" in (book / "_build" / "html" / "small.html").read_text("utf-8")


@pytest.mark.slow
def test_links_to_a_heading_and_to_a_block_of_another_page(published, tmp_path):
    book = again(published, tmp_path / "book")
    text = FILES["docs/index.md"] + "\nSee [it](small.md#in-small-words) and [the block](small.md#snippet-pair).\n"
    write(book, {"docs/index.md": text, "docs/small.md": FILES["docs/small.md"] + "\n## In `small` words?\n\nYes.\n"})
    status, output = run(book, "make", "html")
    assert status == 0, output
    index, small = ((book / "_build" / "html" / f"{name}.html").read_text("utf-8") for name in ("index", "small"))
    for anchor in ("in-small-words", "snippet-pair"):
        assert f'href="small.html#{anchor}"' in index and f'id="{anchor}"' in small


@pytest.mark.slow
@pytest.mark.parametrize("module", ["reading/snippets", "running/runs", "running/values", "running/verify"])
def test_evidence_of_another_engine(published, tmp_path, module):
    book = again(published, tmp_path / "book")
    replaced(book, f"docs/_ext/book/{module}.py", "\n\n", "\n\nCHANGED = True\n")
    expected = f"_build/evidence.json:1: The engine has changed since the snippets were run.{REMEDY}\n"
    assert run(book, *SPHINX) == (3, expected)


@pytest.mark.slow
def test_comments_and_messages_are_no_part_of_the_engine(published, tmp_path):
    book = again(published, tmp_path / "book")
    replaced(book, "docs/_ext/book/running/runs.py", "\n\n", "\n\n# a comment\n")
    replaced(book, "docs/_ext/book/running/runs.py", "Look for a loop", "Search for a loop")
    replaced(book, "docs/_ext/book/fix.py", "\n\n", "\n\nCHANGED = True\n")
    assert run(book, *SPHINX) == (0, "")


@pytest.mark.slow
def test_one_snippet_run_by_another_engine_vouches_for_no_other(published, tmp_path):
    book = again(published, tmp_path / "book")
    replaced(book, "docs/_ext/book/running/runs.py", "\n\n", "\n\nCHANGED = True\n")
    assert run(book, "make", "doctest", "ONLY=small/pair")[0] == 0
    expected = f"_build/evidence.json:1: The engine has changed since the snippets were run.{REMEDY}\n"
    assert run(book, *SPHINX) == (3, expected)


@pytest.mark.slow
def test_evidence_of_another_pytorch(published, tmp_path):
    book = again(published, tmp_path / "book")
    replaced(book, ".ci/constraints.txt", f"torch=={torch.__version__.split('+')[0]}", "torch==99.0")
    expected = f"_build/evidence.json:1: The snippets were run on PyTorch {torch.__version__.split('+')[0]}, but"
    assert run(book, *SPHINX) == (3, f"{expected} .ci/constraints.txt names 99.0.{REMEDY}\n")


@pytest.mark.slow
def test_evidence_of_a_run_that_failed(published, tmp_path):
    book = again(published, tmp_path / "book")
    replaced(book, "_build/evidence.json", '"held": true', '"held": false')
    expected = f"snippets/small/pair.pycon:1: This snippet didn't hold when it was last run.{REMEDY}\n"
    assert run(book, *SPHINX) == (3, expected)


@pytest.mark.slow
def test_a_comment_voids_no_evidence(published, tmp_path):
    book = again(published, tmp_path / "book")
    write(book, changed("snippets/small/square.pycon", ">>> loss.b", "\n>>> # backwards\n>>> loss.b"))
    assert run(book, *SPHINX) == (0, "")


@pytest.mark.slow
def test_a_pytorch_that_does_not_exist(tmp_path):
    book = small_book(tmp_path)
    for _ in range(2):
        status, output = run(book, "make", "doctest", "TORCH=9.9.9")
        *_, message, end = output.splitlines()
        assert status == 2 and end.startswith("make: ***")
        assert message == "TORCH=9.9.9: pip can't install this PyTorch. Name a released version, such as TORCH=2.8.0."
        assert not (book / "_build").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command, expected",
    [
        (
            "doctest",
            "ERROR: snippets/small/sqare.pycon:1: There is no snippet small/sqare.\n    Did you mean small/square?",
        ),
        ("fix", "snippets/small/sqare.pycon:1: There is no snippet small/sqare.\n    Did you mean small/square?"),
    ],
)
def test_a_name_that_does_not_exist(tmp_path, command, expected):
    status, output = run(small_book(tmp_path), "make", command, "ONLY=small/sqare")
    assert status == 2
    assert "\n".join(messages(output)).strip() == expected


def state_kept_by_torch():
    hooks = torch._C._autograd._top_saved_tensors_default_hooks(True)
    return torch.get_default_dtype(), torch.is_grad_enabled(), hooks


@pytest.mark.parametrize("end", ["print(1)\n1\n", "print(\n"], ids=["to its end", "until it isn't Python"])
@pytest.mark.parametrize(
    "code",
    [
        "torch.set_default_dtype(torch.float64)",
        "torch.set_grad_enabled(False)",
        "[hooks(id, id).__enter__() for _ in 'ab']",
    ],
    ids=["default dtype", "grad mode", "two pairs of hooks"],
)
def test_what_is_left_behind_reaches_no_other_snippet(tmp_path, code, end):
    text = f"{TORCH}>>> from torch.autograd.graph import saved_tensors_hooks as hooks\n>>> left = {code}\n>>> {end}"
    before = state_kept_by_torch()
    try:
        runs.run(snippets.read(written(tmp_path, text), incomplete=True))
    except Problem as problem:
        assert "isn't Python" in problem.what
    assert state_kept_by_torch() == before


@pytest.mark.slow
def test_on_another_pytorch_only_what_is_wrong_with_the_text_fails(published, tmp_path):
    book = again(published, tmp_path / "book")
    replaced(book, ".ci/constraints.txt", f"torch=={PINNED}", "torch==99.0.0")
    write(book, {"docs/other.md": "# Other\n\n{verified}`7 </small/pair: weight>` is another.\n"})
    write(book, {"docs/index.md": index("small", "other")})
    write(book, changed("snippets/small/square.pycon", "[2., 4.]", "[2., 5.]"))
    doctest = ["make", "-o", ".venv/made", "doctest"]
    status, output = run(book, *doctest)
    assert status == 0 and "make fix" not in output and "F" not in output.splitlines()[0]
    assert f"0 hold, the others differ as told below, on PyTorch {PINNED}" in output
    assert "docs/other.md:3: The page says 7, but weight in small/pair is 3." in output
    assert f"snippets/small/square.pycon:5: {DIFFERS}tensor([2., 5.])" in output
    assert (book / f"snippets/_evidence/{PINNED}.json").is_file()
    replaced(book, "docs/other.md", "another", "777")
    assert run(book, *doctest)[0] == 2
    replaced(book, "docs/other.md", "777", "another")
    replaced(book, "snippets/small/pair.pycon", ">>> print", ">>>print")
    assert run(book, *doctest)[0] == 2


@pytest.mark.slow
def test_a_snippet_that_needs_a_later_pytorch_is_left_out_on_an_earlier_one(published, tmp_path):
    book = again(published, tmp_path / "book")
    replaced(book, "snippets/small/pair.pycon", ">>> import", ">>> # Needs PyTorch 98.1.\n>>> import")
    doctest = ["make", "-o", ".venv/made", "doctest"]
    assert f"needs PyTorch 98.1, but the book is rendered with {PINNED}." in run(book, *doctest)[1]
    replaced(book, ".ci/constraints.txt", f"torch=={PINNED}", "torch==99.0.0")
    status, output = run(book, *doctest)
    assert status == 0 and "1 snippets, 1 outputs" in output


@pytest.mark.slow
def test_a_python_that_is_too_old(tmp_path):
    book = small_book(tmp_path / "book")
    shutil.rmtree(book / ".venv")
    old = "import sys; sys.version_info = (3, 10); sys.version = '3.10.1 (old)'; exec(sys.argv[1])"
    write(tmp_path, {"bin/python3": f'#!/bin/sh\nexec {sys.executable} -c "{old}" "$2"\n'})
    (tmp_path / "bin" / "python3").chmod(0o755)
    status, output = run(book, "env", f"PATH={tmp_path}/bin:{os.environ['PATH']}", "make", "html")
    assert status == 2 and not (book / ".venv").exists()
    assert "The book needs Python 3.11 or later; python3 is 3.10.1." in output.splitlines()
