"""A long run on real switches with everything that comes and goes, held against a model of what must hold."""
