"""The output of `./malob connections`: the connections that a controller's balancer knows, with their paths."""
