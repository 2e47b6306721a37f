"""Measurements on real Open vSwitch."""
