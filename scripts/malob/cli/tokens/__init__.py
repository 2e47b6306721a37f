"""The tokens for a controller's REST interface."""
