"""MALOB on testbeds: requests for machines and links, and the set-up commands of each machine."""
