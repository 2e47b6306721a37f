"""A long run on real switches with random changes and faults, checked against a model."""
