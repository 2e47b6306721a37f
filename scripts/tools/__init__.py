"""Tools that build the documentation and releases."""
