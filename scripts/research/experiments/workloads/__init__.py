"""The kinds of requests: one module for each, with its server and its client."""
