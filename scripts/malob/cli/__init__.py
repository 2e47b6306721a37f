"""The commands of ./malob in Python, one module or package each, and what their command lines share."""
