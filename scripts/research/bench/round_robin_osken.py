"""Round robin over a host's uplinks on os-ken, in the simplest way: the reference for measurements of MALOB's end host.

It is run by os-ken's manager, on MALOB's switch, and adds the same rules for a flow as MALOB: one out, one back, both by
five-tuple, addresses set, ended when idle. It does not probe uplinks, follow their addresses, or detect the ends of
connections. HOST_VARIABLE names a file with the status document of MALOB, which has addresses; numbers in it are port numbers
of the switch. The host already knows the MAC address of its inside gateway.
"""

import json
import os

from os_ken.base.app_manager import OSKenApp
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ipv4, packet, tcp, udp
from os_ken.ofproto import ofproto_v1_3

HOST_VARIABLE = "MALOB_BENCH_HOST"
_IPV4 = 0x0800
_PROTOCOLS = {6: ("tcp", tcp.tcp), 17: ("udp", udp.udp)}
_IDLE_S = 30
_MAX_REMEMBERED = 10_000


class RoundRobin(OSKenApp):
    """The only switch is that of the host."""

    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        with open(os.environ[HOST_VARIABLE], encoding="utf-8") as file:
            host = json.load(file)
        self.inside, self.uplinks = host["inside"], host["uplinks"]
        self.turn = 0
        # a switch sends a second packet of a flow before it has the flow's rules
        self.chosen = {}

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def connected(self, event):
        switch = event.msg.datapath
        ofproto, parser = switch.ofproto, switch.ofproto_parser
        switch.send_msg(
            parser.OFPFlowMod(
                switch,
                command=ofproto.OFPFC_DELETE,
                table_id=ofproto.OFPTT_ALL,
                out_port=ofproto.OFPP_ANY,
                out_group=ofproto.OFPG_ANY,
                match=parser.OFPMatch(),
            )
        )
        to_controller = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        from_host = parser.OFPMatch(in_port=self.inside["number"], eth_type=_IPV4, ipv4_src=self.inside["ipv4"])
        self._add(switch, 1, from_host, to_controller, idle_s=0)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def arrived(self, event):
        message = event.msg
        found = packet.Packet(message.data)
        header = found.get_protocol(ipv4.ipv4)
        if header is not None and header.proto in _PROTOCOLS:
            name, kind = _PROTOCOLS[header.proto]
            ports = found.get_protocol(kind)
            if ports is not None:
                self._place(message, name, header, ports)

    def _place(self, message, name, header, ports):
        switch = message.datapath
        parser = switch.ofproto_parser
        uplink = self._choose((header.proto, ports.src_port, header.dst, ports.dst_port))
        common = {"eth_type": _IPV4, "ip_proto": header.proto}
        out = [
            parser.OFPActionSetField(eth_src=uplink["mac"]),
            parser.OFPActionSetField(eth_dst=uplink["gateway_mac"]),
            parser.OFPActionSetField(ipv4_src=uplink["ipv4"]),
            parser.OFPActionOutput(uplink["number"]),
        ]
        back = [
            parser.OFPActionSetField(eth_src=self.inside["gateway_mac"]),
            parser.OFPActionSetField(eth_dst=self.inside["mac"]),
            parser.OFPActionSetField(ipv4_dst=self.inside["ipv4"]),
            parser.OFPActionOutput(self.inside["number"]),
        ]
        there = {"in_port": self.inside["number"], "ipv4_src": header.src, f"{name}_src": ports.src_port, f"{name}_dst": ports.dst_port}
        here = {"in_port": uplink["number"], "ipv4_dst": uplink["ipv4"], f"{name}_src": ports.dst_port, f"{name}_dst": ports.src_port}
        self._add(switch, 10, parser.OFPMatch(ipv4_src=header.dst, **here, **common), back, _IDLE_S)
        self._add(switch, 10, parser.OFPMatch(ipv4_dst=header.dst, **there, **common), out, _IDLE_S)
        self._send(switch, message.data, out)

    def _choose(self, flow):
        if flow not in self.chosen:
            if len(self.chosen) >= _MAX_REMEMBERED:
                del self.chosen[next(iter(self.chosen))]
            self.chosen[flow] = self.uplinks[self.turn]
            self.turn = (self.turn + 1) % len(self.uplinks)
        return self.chosen[flow]

    def _add(self, switch, priority, match, actions, idle_s):
        parser = switch.ofproto_parser
        apply = [parser.OFPInstructionActions(switch.ofproto.OFPIT_APPLY_ACTIONS, actions)]
        switch.send_msg(parser.OFPFlowMod(switch, priority=priority, match=match, instructions=apply, idle_timeout=idle_s))

    def _send(self, switch, data, actions):
        ofproto = switch.ofproto
        switch.send_msg(
            switch.ofproto_parser.OFPPacketOut(switch, buffer_id=ofproto.OFP_NO_BUFFER, in_port=ofproto.OFPP_CONTROLLER, actions=actions, data=data)
        )
