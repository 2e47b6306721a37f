"""Networks as values: switches, hosts, links, topologies; and the labs that are up, as lab.instance has written them down."""
