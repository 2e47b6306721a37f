"""`./malob doctor`: checks this machine for MALOB's requirements."""
