"""What `./malob connections` shows: the connections that a controller's balancer knows, with their paths."""
