"""The output of `./malob status`: switches, links, virtual addresses and their members, from a controller."""
