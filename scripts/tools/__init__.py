"""Documentation and releases: what the project is made with."""
