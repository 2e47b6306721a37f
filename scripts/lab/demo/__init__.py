"""`./malob demo`: the load balancer on an emulated network."""
