"""`./malob bench compare`: the same load on the same networks, by one balancer after the other."""
