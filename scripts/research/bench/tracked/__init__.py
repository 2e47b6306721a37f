"""`./malob bench tracked`: open connections through a tracked VIP while its shares change, and in a long silence with a flood."""
