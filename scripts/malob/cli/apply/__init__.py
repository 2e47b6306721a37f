"""`./malob apply` and `./malob config`: a controller's whole catalog as one file."""
