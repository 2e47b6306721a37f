"""`./malob apply` and `./malob config`: all that a controller balances, as one file."""
