"""`./malob mptcp`: plans the ways of MPTCP sub-flows, has a controller set them up, prepares the lab's hosts for them."""
