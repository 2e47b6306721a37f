"""Who may use a controller's REST interface."""
