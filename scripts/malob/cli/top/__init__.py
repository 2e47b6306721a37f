"""What `./malob top` shows: members, links and pools of a running controller, live, the busiest first."""
