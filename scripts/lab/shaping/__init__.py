"""Links with rates, delays, queues and losses: by the kernel's netem where it is, else by our own emulator."""
