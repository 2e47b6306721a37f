"""`./malob bench compare`: the same load on the same networks with several balancers."""
