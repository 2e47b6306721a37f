"""What `./malob status` shows: switches, links, virtual addresses and their members, as a controller knows them."""
