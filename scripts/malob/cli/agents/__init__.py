"""`./malob agent`: the agents that may report to the controller."""
