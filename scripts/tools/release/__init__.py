"""Makes all files of a release, the same bytes from the same sources."""
