"""Sphinx's settings. The build reads pages, snippets and evidence; it runs no snippet and imports no torch."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from book.site import repository

project = "Where gradients go"
author = "the contributors"
copyright = ""
extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "book.site",
]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
include_patterns = ["*.md"]  # what the checks read, and nothing else
smartquotes = False
nitpicky = True

html_theme = "sphinx_book_theme"
html_title = project
html_static_path = ["docs/_static"]
html_extra_path = ["snippets/meters.py"]
html_css_files = ["book.css"]
html_favicon = "docs/_static/favicon.svg"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_math_renderer = "mathml"
html_sidebars = {"**": ["navbar-logo.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "home_page_in_toc": True,
    "navbar_persistent": [],
    "footer_content_items": [],
} | repository.buttons(ROOT)

# The button copies what a reader would type: no prompts (the style sheet shows them), no outputs.
copybutton_selector = "div.snippet pre"
copybutton_exclude = "samp, select"
