"""Experiments on MPTCP sub-flows."""
