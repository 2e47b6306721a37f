"""Intentional faults of a lab's network; each lasts as long as its `with` and is repaired at the end."""
