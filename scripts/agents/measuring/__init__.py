"""What the server agent measures."""
