"""How Sphinx makes the documentation site; CONTRIBUTING.md has the command."""

from tallystick import __version__

project = "Tallystick"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

myst_heading_anchors = 4

# Docstrings write code in single backticks, as Markdown does.
default_role = "code"
add_module_names = False
maximum_signature_line_length = 88
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"Tallystick {release}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_copyright = False
