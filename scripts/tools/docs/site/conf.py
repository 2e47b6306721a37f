"""Settings of Sphinx for the documentation's site, which `./malob docs` builds."""

project = "MALOB"
html_title = "MALOB"
extensions = ["myst_parser"]
html_theme = "furo"
# the pages are no Python documentation, and need no link to their source
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# fragments of headings as code hosts make them
myst_heading_anchors = 6
# examples leave out parts ("…"), which no JSON does
suppress_warnings = ["misc.highlighting_failure"]
