"""The commands of ./malob in Python, one module or package each, and the shared code of their command lines."""
