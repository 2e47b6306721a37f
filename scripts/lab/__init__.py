"""Emulated networks: Open vSwitch bridges as switches, network namespaces as hosts."""
