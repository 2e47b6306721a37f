"""`./malob agent`: who may report to the controller."""
