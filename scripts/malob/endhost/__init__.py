"""`./malob endhost`: one host spreads its own flows over its uplinks, with a switch and a controller of its own."""
