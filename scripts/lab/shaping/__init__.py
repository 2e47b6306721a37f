"""Links with rates, delays, queues and losses: by netem if the kernel has it, otherwise by our emulator."""
