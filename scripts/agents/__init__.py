"""What runs on servers and network nodes to report their state, and the command that keeps the agents' keys.

server_agent.py and the package reporting need nothing but Python 3 and each other: to install an agent,
copy this folder. __main__.py and keys.py belong to `./malob agent` and stay behind.
"""
