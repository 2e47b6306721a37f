"""`./malob doctor`: what this machine has of what MALOB needs."""
