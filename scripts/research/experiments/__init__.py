"""Experiments of the papers on emulated networks: a frame that all share, and one module for each."""
