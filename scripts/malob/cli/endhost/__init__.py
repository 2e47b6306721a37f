"""`./malob endhost`: the command line of an end host."""
