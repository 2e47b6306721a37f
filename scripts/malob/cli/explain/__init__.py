"""The output of `./malob explain`: which server and paths a new connection would get, and why."""
