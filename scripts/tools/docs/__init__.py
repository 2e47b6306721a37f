"""The documentation: its pages, the commands in them, and the site that is built from them."""
