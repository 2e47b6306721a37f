"""`./malob bench failover`: connections while controllers of a cluster fail."""
