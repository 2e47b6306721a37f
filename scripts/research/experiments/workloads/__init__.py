"""What clients ask servers for: one module per kind of request, with its server and its client."""
