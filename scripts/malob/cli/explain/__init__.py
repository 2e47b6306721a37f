"""What `./malob explain` shows: which server and paths a new connection would get, and why."""
