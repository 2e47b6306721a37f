"""`./malob bench proactive`: connections through a proactive VIP while its buckets move, and while there is no controller."""
