"""What all agents share: their configuration file, signed reports, ways to send them, and the loop around it."""
