"""`./malob completion`: what shells complete command lines with, and the reference of all commands, both from the parsers."""
