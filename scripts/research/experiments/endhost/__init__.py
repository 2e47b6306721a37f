"""Experiments on a host with several uplinks."""
