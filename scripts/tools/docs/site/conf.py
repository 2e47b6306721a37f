"""Settings of Sphinx for the documentation's site, which `./malob docs` builds."""

project = "MALOB"
html_title = "MALOB"
extensions = ["myst_parser"]
html_theme = "furo"
# the pages are not Python documentation and need no link to their source
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# anchors of headings as code hosts generate them
myst_heading_anchors = 6
# examples leave out parts ("…"), which is not valid JSON
suppress_warnings = ["misc.highlighting_failure"]
