"""The documentation: its menu, its diagrams, and the site that is built from its pages."""
