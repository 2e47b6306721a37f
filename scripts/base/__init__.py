"""What all of MALOB's scripts share: errors and their exit codes, commands, waiting, tables."""
