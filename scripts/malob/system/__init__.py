"""What commands do to the system: processes, files, locks, clean-up, waiting."""
