"""`./malob demo`: the load balancer at work on an emulated network."""
