"""Measurements of the server agent."""
