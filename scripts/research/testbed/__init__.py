"""MALOB on testbeds: requests for machines and links, and what is to be run on each of them."""
