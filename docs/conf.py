"""How Sphinx builds the documents: MyST pages, pages generated from the program itself, furo on top."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

HERE = Path(__file__).parent
# The extensions of this folder, and the examples of the checkout.
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

project = "pellucid"
author = "the pellucid authors"
project_copyright = author
version = release = installed_version("pellucid")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "explained",
    "formats",
    "gallery",
    "moves",
    "operators",
    "picture",
    "times",
    "vocabulary",
]
exclude_patterns = ["_build", "_ext", "_generated", "_static"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "smartquotes"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
default_role = "code"

html_theme = "furo"
html_title = "pellucid"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_js_files = ["copy.js"]
html_favicon = "_static/mark.svg"
html_logo = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
