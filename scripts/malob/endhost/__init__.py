"""`./malob endhost`: distributes a host's own flows over its uplinks, with a switch and a controller on the host."""
