"""The output of `./malob top`: members, links and pools of a running controller, live, the busiest first."""
