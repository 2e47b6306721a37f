"""Faults of a lab's network, made on purpose; each lasts as long as its `with`, and is mended at its end."""
