"""Experiments of the papers, comparisons, benchmarks on real switches, testbeds."""
