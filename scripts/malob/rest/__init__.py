"""Clients of a controller's REST interface."""
