"""`./malob completion`: completion of command lines in shells, and the reference of all commands, both from the parsers."""
