"""Experiments of the papers on emulated networks: a shared framework, and one module for each."""
