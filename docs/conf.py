"""How the documentation is built: Markdown pages, tables made from the code itself, nothing fetched from elsewhere."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from footfall.version import __version__  # noqa: E402

project = "Footfall"
author = "the Footfall authors"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml", "generated"]
exclude_patterns = ["_build", "__pycache__"]
smartquotes = False  # a prime in J' is a prime
nitpicky = False

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
pygments_style = "friendly"
pygments_dark_style = "monokai"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 160
add_module_names = False

html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["footfall.css"]
html_title = f"Footfall {release}"
html_copy_source = False
html_show_sphinx = False
