"""The programs for users: commands, the REST client, processes and networks of the system, end hosts. The standard library only."""
