"""Makes all files of a release, reproducibly: the same sources give the same bytes."""
