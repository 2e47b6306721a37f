"""Tests of the controller and its balancer on real Open vSwitch. They need root."""
