"""`./malob mptcp`: plans the paths of MPTCP sub-flows, lets a controller install them, and prepares the lab's hosts."""
