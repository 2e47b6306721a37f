"""The names of all objects of an end host in the system, identical in every network namespace."""

BRIDGE = "malob0"
#: The two ends of the pair that the host's own flows take to the switch: the host's, and the switch's port.
INSIDE, INSIDE_PORT = "malob-in", "malob-sw"
DEVICES = (BRIDGE, INSIDE, INSIDE_PORT)

#: The switch's id: the same everywhere, because each host's controller has one switch only. "MALOB" in ASCII.
DATAPATH_ID = "00004d414c4f4200"

#: The controller's answer to requests for the gateway.
GATEWAY_MAC = "0a:4d:4c:00:00:01"
INSIDE_IPV6, GATEWAY_IPV6, LENGTH_IPV6 = "fd6d:616c:6f62::2", "fd6d:616c:6f62::1", 64

#: The table of nftables.
FILTER = "malob_endhost"
