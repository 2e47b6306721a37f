"""The thesis's experiments: requests to servers behind a virtual IP."""
