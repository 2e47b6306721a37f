"""What the system tests share: a controller and a network for each class, and ways to use them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import balancing, instance, processes
from lab.balancing import VirtualServer
from lab.controller import Controller, settings_file
from lab.instance import Instance
from malob.network import topology
from malob.network.hosts import Host
from malob.system import ovs
from malob.system.ports import free_port
from malob.system.processes import run
from malob.system.waiting import say, undisturbed, wait_until
from tests import exposition

NAME = "mlt"
FRAMES = Path(__file__).parent / "frames.py"
TALKER = Path(__file__).parent / "talker.py"

#: For tests of rates and times, which need both cores while other tests use them.
needs_idle_machine = unittest.skipUnless(os.environ.get("MALOB_IDLE_MACHINE") == "1", "needs an idle machine; set MALOB_IDLE_MACHINE=1 to run it")

HTTP_PORTS = (80, 8001)
UDP_PORT = 5353
#: Packet-ins with these outcomes are of connections.
_OUTCOMES = ("placed", "known", "refused", "earlier", "end")


def forced_layouts(**layouts: str) -> dict[str, str]:
    """The setting that gives switches these layouts."""
    entries = [f"00:00:00:00:00:00:00:{int(name[1:]):02x}={layout}" for name, layout in layouts.items()]
    return {"io.malob.capability.CapabilityModule.layouts": ",".join(entries)}


class SystemTest(unittest.TestCase):
    """Starts a controller, a network and a server on each host in the role of one, once for a class."""

    topology_name = "mesh5"
    #: the controller's properties that differ from its defaults
    properties: Mapping[str, str] = {}
    #: by switch, one way: how long messages between it and the controller take
    control_delays_ms: Mapping[str, float] = {}
    #: where the controller listens, and options for that
    address = "127.0.0.1"
    options: Sequence[str] = ()

    lab: Instance
    controller: Controller

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        cls.addClassCleanup(directory.cleanup)
        cls.addClassCleanup(cls._clean_up)
        network = topology.load(cls.topology_name)
        openflow_port = free_port()
        cls.lab = instance.up(network, NAME, f"{cls.address}:{openflow_port}", owned=True, control_delays_ms=cls.control_delays_ms)
        cls.prepare_lab()
        properties = cls._properties_file(Path(directory.name))
        cls.controller = Controller(Path(directory.name), openflow_port, free_port(), properties, cls.options, cls.address)
        cls.controller.start()
        for server in network.with_role("server"):
            processes.start_responder(cls.lab, server.name, http=HTTP_PORTS, udp=[UDP_PORT])
        cls.wait_for_network()

    @classmethod
    def prepare_lab(cls) -> None:
        """What a subclass does with the network before the controller starts."""

    @classmethod
    def _clean_up(cls) -> None:
        with undisturbed():
            if "controller" in cls.__dict__:
                cls.controller.stop()
            instance.remove_own(NAME)

    @classmethod
    def _properties_file(cls, directory: Path) -> Path | None:
        return settings_file(directory, cls.properties) if cls.properties else None

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription() or self._testMethodName}")

    def logs(self) -> Sequence[Path]:
        """What is shown of a test that has failed (conftest.py)."""
        return [self.controller.log] if "controller" in type(self).__dict__ else []

    @classmethod
    def wait_for_network(cls) -> None:
        """Returns once the controller sees all switches and links."""
        cls.controller.wait_for(cls.lab.topology)

    # --- the network -----------------------------------------------------------------------------

    @property
    def hosts(self) -> list[Host]:
        return list(self.lab.topology.hosts.values())

    @property
    def servers(self) -> list[Host]:
        return self.lab.topology.with_role("server")

    @property
    def server_names(self) -> set[str]:
        return {server.name for server in self.servers}

    def on(self, host: str, *command: str, timeout_s: float = 30, check: bool = True) -> str:
        """What a command on a host prints."""
        return run(self.lab.inside(host, command), timeout_s, check)

    def ping(self, host: str, address: str, count: int = 3, size: int = 56) -> tuple[int, int]:
        """How many answers came, and how many of them twice."""
        words = self.on(host, "ping", "-n", "-c", str(count), "-s", str(size), "-i", "0.2", "-W", "2", address, check=False)
        answers = len(re.findall(r"bytes from .*icmp_seq=\d+ ", words))
        doubles = words.count("(DUP!)")
        return answers - doubles, doubles

    def ab(self, host: str, url: str, count: int, at_once: int) -> str:
        """What ab says of so many requests, none of which has failed."""
        words = self.on(host, "ab", "-q", "-n", str(count), "-c", str(at_once), "-s", "20", url, timeout_s=120)
        self.assertRegex(words, rf"Complete requests:\s+{count}\b")
        self.assertRegex(words, r"Failed requests:\s+0\b")
        return words

    def packet_ins(self) -> dict[str, float]:
        """How many packet-ins of connections the controller has had, by outcome."""
        metrics = exposition.read(self.controller.rest.get_text("/metrics"))
        return {outcome: exposition.value(metrics, "malob_packet_ins_total", outcome=outcome) for outcome in _OUTCOMES}

    def frames(self, host: str, *arguments: str) -> subprocess.Popen[str]:
        """Starts frames.py on a host; its output is closed when the test ends."""
        return self._printing(host, FRAMES, *arguments)

    def flood(self, host: str, *arguments: str) -> subprocess.Popen[str]:
        """The same with flood.py."""
        return self._printing(host, processes.FLOOD, *arguments)

    def _printing(self, host: str, script: Path, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(processes.script(self.lab, host, script, *arguments), stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        self.addCleanup(process.stdout.close)
        return process

    def talker(self, host: str, *arguments: str) -> subprocess.Popen[str]:
        """Starts talker.py on a host; it is stopped when the test ends."""
        command = self.lab.inside(host, [sys.executable, "-I", str(TALKER), *arguments])
        talker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(talker.communicate)
        self.addCleanup(talker.kill)
        return talker

    def rules(self, switch: str) -> list[str]:
        """The rules that a switch holds, as ovs-ofctl prints them."""
        dump = ovs.ofctl("--no-stats", "dump-flows", self.lab.bridge(switch))
        return [line.strip() for line in dump.splitlines() if "cookie=" in line or "actions=" in line]

    def rules_naming(self, address: str) -> list[str]:
        """The rules of all switches that name an address, each after its switch."""
        pattern = re.compile(rf"\b{re.escape(address)}\b")
        return [f"{switch}: {rule}" for switch in self.lab.topology.switches for rule in self.rules(switch) if pattern.search(rule)]

    def received_packets(self) -> int:
        """How many packets all switches' ports have received so far."""
        total = 0
        for switch in self.lab.topology.switches:
            dump = ovs.ofctl("dump-ports", self.lab.bridge(switch))
            total += sum(int(count) for count in re.findall(r"rx pkts=(\d+)", dump))
        return total

    # --- the balancer ----------------------------------------------------------------------------

    def virtual(self, key: str, address: str, port: int, **more: Any) -> VirtualServer:
        """Sets up a VIP over all servers (or those given), which goes when the test ends.

        Returns once the balancer has found the servers: until then it uses those that it knows.
        """
        servers: Sequence[Host] = more.pop("servers", self.servers)
        self.addCleanup(self.remove_virtual, key)
        virtual = balancing.set_up(self.controller.rest, address, port, servers, key=key, **more)
        wait_until(lambda: balancing.all_located(self.controller.rest, virtual), "the servers to be found", 10)
        return virtual

    def member_of(self, virtual: VirtualServer, server: str) -> str:
        """The id of a server's member."""
        return next(member for member, name in virtual.members.items() if name == server)

    def remove_virtual(self, key: str) -> None:
        """Deletes the VIP, the pool and the members of a key, as far as they are there."""
        base = balancing.BASE
        for kind, field in (("members", "pool_id"), ("pools", "id"), ("vips", "id")):
            for item in self.controller.rest.get(f"{base}/{kind}/"):
                if item.get(field) == key:
                    self.controller.rest.delete(f"{base}/{kind}/{item['id']}")

    def requests(self, host: str, address: str, port: int, count: int, rate: float = 50) -> Counter[str]:
        """Who answered how many HTTP requests; what is no answer counts as its error."""
        seconds = count / rate
        words = run(
            processes.script(self.lab, host, processes.REQUESTER, address, str(port), "--rate", str(rate), "--seconds", str(seconds)),
            timeout_s=seconds + 30,
        )
        results = [json.loads(line) for line in words.splitlines()]
        return Counter(str(result.get("server") or result.get("error")) for result in results)

    def ask_by_udp(self, host: str, address: str, port: int, local_port: int, text: str) -> str:
        """What comes back to a datagram within five seconds, empty if nothing does."""
        program = (
            "import socket,sys; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(5);"
            "s.bind(('',int(sys.argv[3]))); s.connect((sys.argv[1],int(sys.argv[2])));"
            "s.send(sys.argv[4].encode()); print(s.recv(2000).decode())"
        )
        return self.on(host, sys.executable, "-I", "-c", program, address, str(port), str(local_port), text, check=False).strip()
