"""Programs on servers and network nodes that report their state.

server_agent.py, link_agent.py and the packages measuring and reporting need only Python 3 and each other
(link_agent.py: iperf3 as well): to install an agent, copy this folder. `./malob agent` keeps their keys.
"""
