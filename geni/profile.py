"""MALOB, a load balancer for OpenFlow networks, on one of the networks of its papers.

Each switch, host and the controller is a virtual machine; switches run Open vSwitch; links have the rates and delays of the
paper's tables. All machines set themselves up at boot, if the profile is based on MALOB's repository.

Instructions:
Log into a client and type `curl http://10.0.0.100/`: the answer is the name of the server that MALOB has chosen. On the controller,
`/local/repository/malob status` shows the network. The output of each machine's set-up is in /tmp/malob-setup.log.
"""

# CloudLab runs this file alone, with geni-lib, on a Python of its own choosing: so it imports nothing of MALOB, and says things
# in the words that Python 2 and 3 share. What is between the two marks below comes from scripts/lab/topologies and
# geni/sites.json: ./malob testbed profile >profile.new writes it anew.

import geni.portal as portal
import geni.rspec.igext as igext
import geni.rspec.pg as pg

IMAGE = "urn:publicid:IDN+emulab.net+image+emulab-ops:UBUNTU22-64-STD"
SETUP = "sudo /local/repository/geni/setup/%s >/tmp/malob-setup.log 2>&1"

# networks: begin
NETWORKS = {
    "geni-wan": {
        "machines": [
            ["controller", 2, 1024, [["control", "192.168.254.1", "255.255.255.0"]], "controller.sh --openflow-port 6653 --vip 10.0.0.100:80 --member 10.0.0.11 --member 10.0.0.12 --member 10.0.0.13"],
            ["client-1-switch", 1, 512, [["port1", "10.0.0.254", "255.255.255.0"], ["port2", "192.168.1.1", "255.255.255.0"], ["port3", "192.168.2.1", "255.255.255.0"], ["port4", "192.168.3.1", "255.255.255.0"], ["control", "192.168.254.2", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:01:01 --controller 192.168.254.1:6653 --port 1=10.0.0.254/24 --port 2=192.168.1.1/24 --port 3=192.168.2.1/24 --port 4=192.168.3.1/24 --node 5=10.0.0.201/24"],
            ["client-2-switch", 1, 512, [["port1", "10.0.0.253", "255.255.255.0"], ["port2", "192.168.4.1", "255.255.255.0"], ["port3", "192.168.5.1", "255.255.255.0"], ["port4", "192.168.6.1", "255.255.255.0"], ["control", "192.168.254.3", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:01:02 --controller 192.168.254.1:6653 --port 1=10.0.0.253/24 --port 2=192.168.4.1/24 --port 3=192.168.5.1/24 --port 4=192.168.6.1/24 --node 5=10.0.0.202/24"],
            ["client-3-switch", 1, 512, [["port1", "10.0.0.252", "255.255.255.0"], ["port2", "192.168.7.1", "255.255.255.0"], ["port3", "192.168.8.1", "255.255.255.0"], ["port4", "192.168.9.1", "255.255.255.0"], ["control", "192.168.254.4", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:01:03 --controller 192.168.254.1:6653 --port 1=10.0.0.252/24 --port 2=192.168.7.1/24 --port 3=192.168.8.1/24 --port 4=192.168.9.1/24 --node 5=10.0.0.203/24"],
            ["client-4-switch", 1, 512, [["port1", "10.0.0.251", "255.255.255.0"], ["port2", "192.168.9.2", "255.255.255.0"], ["port3", "192.168.10.1", "255.255.255.0"], ["port4", "192.168.11.1", "255.255.255.0"], ["control", "192.168.254.5", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:01:04 --controller 192.168.254.1:6653 --port 1=10.0.0.251/24 --port 2=192.168.9.2/24 --port 3=192.168.10.1/24 --port 4=192.168.11.1/24 --node 5=10.0.0.204/24"],
            ["server-1-switch", 1, 512, [["port1", "10.0.0.250", "255.255.255.0"], ["port2", "192.168.1.2", "255.255.255.0"], ["port3", "192.168.4.2", "255.255.255.0"], ["port4", "192.168.12.1", "255.255.255.0"], ["control", "192.168.254.6", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:02:01 --controller 192.168.254.1:6653 --port 1=10.0.0.250/24 --port 2=192.168.1.2/24 --port 3=192.168.4.2/24 --port 4=192.168.12.1/24 --node 5=10.0.0.205/24"],
            ["server-2-switch", 1, 512, [["port1", "10.0.0.249", "255.255.255.0"], ["port2", "192.168.6.2", "255.255.255.0"], ["port3", "192.168.7.2", "255.255.255.0"], ["control", "192.168.254.7", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:02:02 --controller 192.168.254.1:6653 --port 1=10.0.0.249/24 --port 2=192.168.6.2/24 --port 3=192.168.7.2/24 --node 4=10.0.0.206/24"],
            ["server-3-switch", 1, 512, [["port1", "10.0.0.248", "255.255.255.0"], ["port2", "192.168.3.2", "255.255.255.0"], ["port3", "192.168.11.2", "255.255.255.0"], ["port4", "192.168.13.1", "255.255.255.0"], ["control", "192.168.254.8", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:02:03 --controller 192.168.254.1:6653 --port 1=10.0.0.248/24 --port 2=192.168.3.2/24 --port 3=192.168.11.2/24 --port 4=192.168.13.1/24 --node 5=10.0.0.207/24"],
            ["kansas-switch", 1, 512, [["port1", "192.168.2.2", "255.255.255.0"], ["port2", "192.168.12.2", "255.255.255.0"], ["port3", "192.168.13.2", "255.255.255.0"], ["port4", "192.168.14.1", "255.255.255.0"], ["control", "192.168.254.9", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:03:01 --controller 192.168.254.1:6653 --port 1=192.168.2.2/24 --port 2=192.168.12.2/24 --port 3=192.168.13.2/24 --port 4=192.168.14.1/24 --node 5=10.0.0.208/24"],
            ["kentucky-switch", 1, 512, [["port1", "192.168.5.2", "255.255.255.0"], ["port2", "192.168.8.2", "255.255.255.0"], ["port3", "192.168.10.2", "255.255.255.0"], ["port4", "192.168.14.2", "255.255.255.0"], ["control", "192.168.254.10", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:03:02 --controller 192.168.254.1:6653 --port 1=192.168.5.2/24 --port 2=192.168.8.2/24 --port 3=192.168.10.2/24 --port 4=192.168.14.2/24 --node 5=10.0.0.209/24"],
            ["client-1", 1, 512, [["lan", "10.0.0.1", "255.255.255.0"]], "client.sh --address 10.0.0.1/24"],
            ["client-2", 1, 512, [["lan", "10.0.0.2", "255.255.255.0"]], "client.sh --address 10.0.0.2/24"],
            ["client-3", 1, 512, [["lan", "10.0.0.3", "255.255.255.0"]], "client.sh --address 10.0.0.3/24"],
            ["client-4", 1, 512, [["lan", "10.0.0.4", "255.255.255.0"]], "client.sh --address 10.0.0.4/24"],
            ["server-1", 4, 1024, [["lan", "10.0.0.11", "255.255.255.0"]], "server.sh --address 10.0.0.11/24 --name server-1 --port 80"],
            ["server-2", 1, 512, [["lan", "10.0.0.12", "255.255.255.0"]], "server.sh --address 10.0.0.12/24 --name server-2 --port 80"],
            ["server-3", 1, 512, [["lan", "10.0.0.13", "255.255.255.0"]], "server.sh --address 10.0.0.13/24 --name server-3 --port 80"],
        ],
        "links": [
            ["client_1_lan", "client-1:lan", "client-1-switch:port1", []],
            ["client_2_lan", "client-2:lan", "client-2-switch:port1", []],
            ["client_3_lan", "client-3:lan", "client-3-switch:port1", []],
            ["client_4_lan", "client-4:lan", "client-4-switch:port1", []],
            ["server_1_lan", "server-1:lan", "server-1-switch:port1", []],
            ["server_2_lan", "server-2:lan", "server-2-switch:port1", []],
            ["server_3_lan", "server-3:lan", "server-3-switch:port1", []],
            ["client_1_server_1", "client-1-switch:port2", "server-1-switch:port2", [[57800, 15], [58100, 15]]],
            ["client_1_kansas", "client-1-switch:port3", "kansas-switch:port1", [[30700, 21], [26800, 21]]],
            ["client_1_server_3", "client-1-switch:port4", "server-3-switch:port2", [[12100, 36], [23900, 36]]],
            ["client_2_server_1", "client-2-switch:port2", "server-1-switch:port3", [[39900, 19], [51200, 19]]],
            ["client_2_kentucky", "client-2-switch:port3", "kentucky-switch:port1", [[52200, 11], [53000, 11]]],
            ["client_2_server_2", "client-2-switch:port4", "server-2-switch:port2", [[89700, 10], [83000, 10]]],
            ["client_3_server_2", "client-3-switch:port2", "server-2-switch:port3", [[90300, 7], [90400, 7]]],
            ["client_3_kentucky", "client-3-switch:port3", "kentucky-switch:port2", [[56700, 9], [53600, 9]]],
            ["client_3_client_4", "client-3-switch:port4", "client-4-switch:port2", [[62600, 14], [57000, 14]]],
            ["client_4_kentucky", "client-4-switch:port3", "kentucky-switch:port3", [[76900, 8], [71800, 8]]],
            ["client_4_server_3", "client-4-switch:port4", "server-3-switch:port3", [[91200, 2], [91100, 2]]],
            ["server_1_kansas", "server-1-switch:port4", "kansas-switch:port2", [[20300, 28], [17400, 28]]],
            ["server_3_kansas", "server-3-switch:port4", "kansas-switch:port3", [[11700, 16], [15300, 16]]],
            ["kansas_kentucky", "kansas-switch:port4", "kentucky-switch:port4", [[36700, 10], [39100, 10]]],
        ],
        "control": ["controller:control", "client-1-switch:control", "client-2-switch:control", "client-3-switch:control", "client-4-switch:control", "server-1-switch:control", "server-2-switch:control", "server-3-switch:control", "kansas-switch:control", "kentucky-switch:control"],
    },
    "thesis-two-servers": {
        "machines": [
            ["controller", 2, 1024, [["control", "192.168.254.1", "255.255.255.0"]], "controller.sh --openflow-port 6653 --vip 10.0.0.100:80 --member 10.0.0.11 --member 10.0.0.12"],
            ["client-switch", 1, 512, [["port1", "10.0.0.254", "255.255.255.0"], ["port2", "192.168.1.1", "255.255.255.0"], ["port3", "192.168.2.1", "255.255.255.0"], ["control", "192.168.254.2", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:01:01 --controller 192.168.254.1:6653 --port 1=10.0.0.254/24 --port 2=192.168.1.1/24 --port 3=192.168.2.1/24 --node 4=10.0.0.201/24"],
            ["server-1-switch", 1, 512, [["port1", "10.0.0.253", "255.255.255.0"], ["port2", "192.168.1.2", "255.255.255.0"], ["control", "192.168.254.3", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:02:01 --controller 192.168.254.1:6653 --port 1=10.0.0.253/24 --port 2=192.168.1.2/24 --node 3=10.0.0.202/24"],
            ["server-2-switch", 1, 512, [["port1", "10.0.0.252", "255.255.255.0"], ["port2", "192.168.2.2", "255.255.255.0"], ["control", "192.168.254.4", "255.255.255.0"]], "switch.sh --datapath-id 00:00:00:00:00:00:02:02 --controller 192.168.254.1:6653 --port 1=10.0.0.252/24 --port 2=192.168.2.2/24 --node 3=10.0.0.203/24"],
            ["client", 1, 512, [["lan", "10.0.0.1", "255.255.255.0"]], "client.sh --address 10.0.0.1/24"],
            ["server-1", 4, 1024, [["lan", "10.0.0.11", "255.255.255.0"]], "server.sh --address 10.0.0.11/24 --name server-1 --port 80"],
            ["server-2", 1, 512, [["lan", "10.0.0.12", "255.255.255.0"]], "server.sh --address 10.0.0.12/24 --name server-2 --port 80"],
        ],
        "links": [
            ["client_lan", "client:lan", "client-switch:port1", []],
            ["server_1_lan", "server-1:lan", "server-1-switch:port1", []],
            ["server_2_lan", "server-2:lan", "server-2-switch:port1", []],
            ["client_server_1", "client-switch:port2", "server-1-switch:port2", [[10700, 7], [9800, 7]]],
            ["client_server_2", "client-switch:port3", "server-2-switch:port2", [[62600, 14], [57000, 14]]],
        ],
        "control": ["controller:control", "client-switch:control", "server-1-switch:control", "server-2-switch:control"],
    },
}
# networks: end


def machine(request, row, parameters):
    """Adds a virtual machine to the request, and returns its interfaces by name."""
    name, cores, ram_mb, addresses, setup = row
    node = igext.XenVM(name)
    node.cores = cores
    node.ram = max(ram_mb, parameters.ram)
    node.disk_image = IMAGE
    interfaces = {}
    for interface, address, netmask in addresses:
        interfaces[interface] = node.addInterface(interface, pg.IPv4Address(address, netmask))
    if parameters.setup:
        node.addService(pg.Execute(shell="bash", command=SETUP % setup))
    request.addResource(node)
    return interfaces


def link(request, row, interfaces, shaped):
    """Adds a link between two interfaces; shape: kbit/s and milliseconds, there and back, or nothing."""
    name, first, second, shape = row
    one = pg.Link(name)
    one.addInterface(interfaces[first])
    one.addInterface(interfaces[second])
    if shape and shaped:
        # what an interface says is of what comes in there
        interfaces[second].bandwidth, interfaces[second].latency = shape[0]
        interfaces[first].bandwidth, interfaces[first].latency = shape[1]
    else:
        one.best_effort = True
    # a bridge that learns addresses would be led astray by paths that are not a tree
    one.disableMACLearning()
    request.addResource(one)


def control(request, members, interfaces):
    """Adds the network by which switches reach the controller."""
    lan = pg.LAN("control")
    for member in members:
        lan.addInterface(interfaces[member])
    lan.best_effort = True
    request.addResource(lan)


def main():
    context = portal.Context()
    names = sorted(NETWORKS)
    context.defineParameter("network", "Network", portal.ParameterType.STRING, names[0], names)
    context.defineParameter("shaped", "Links with the rates and delays of the paper", portal.ParameterType.BOOLEAN, True)
    context.defineParameter("ram", "Memory of each machine in MB, at least", portal.ParameterType.INTEGER, 2048)
    context.defineParameter("setup", "Set all machines up at boot", portal.ParameterType.BOOLEAN, True)
    parameters = context.bindParameters()
    request = context.makeRequestRSpec()
    network = NETWORKS[parameters.network]
    interfaces = {}
    for row in network["machines"]:
        for interface, made in machine(request, row, parameters).items():
            interfaces[row[0] + ":" + interface] = made
    for row in network["links"]:
        link(request, row, interfaces, parameters.shaped)
    control(request, network["control"], interfaces)
    context.printRequestRSpec(request)


main()
