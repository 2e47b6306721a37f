"""A legacy switch, which is a Linux bridge in a namespace of its own, between OpenFlow ports and hosts."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence

from lab.attached.places import Attachments, Place
from lab.program import Program

_BRIDGE = """
ip link add lan type bridge
ip link set lan type bridge forward_delay 0 mcast_snooping 0 ageing_time "$1"
ip link set lan up
"""


class Segment:
    """The switch. Its ports have the names of what they lead to."""

    def __init__(self, attached: Attachments, name: str, ageing_s: int = 300) -> None:
        """ageing_s: after so long without a frame a bridge forgets where a MAC is; 300 s by default."""
        self.attached = attached
        self.place = attached.place(name)
        self.place.run("sh", "-ec", _BRIDGE, "sh", str(100 * ageing_s))

    def join_switch(self, switch: str) -> str:
        """A cable to an OpenFlow switch. Returns the port's device at that switch."""
        device = self.attached.join(switch, self.place, self._port(switch))
        self.place.run("ip", "link", "set", self._port(switch), "master", "lan")
        return device

    def join(self, place: Place, addresses: Sequence[str] = (), device: str = "eth0") -> None:
        """A cable to a host or a router, whose eth0 it is."""
        port = self._port(place.name)
        self.attached.cable((place, device), (self.place, port))
        place.set_up(device, addresses)
        self.place.set_up(port)
        self.place.run("ip", "link", "set", port, "master", "lan")

    def host(self, name: str, addresses: Sequence[str]) -> Place:
        """A new host here."""
        place = self.attached.place(name)
        self.join(place, addresses)
        return place

    def table(self) -> dict[str, str]:
        """The port of each MAC that the bridge has learned."""
        entries = json.loads(self.place.run("bridge", "-j", "fdb", "show", "br", "lan"))
        return {each["mac"]: each["ifname"] for each in entries if each.get("state") != "permanent" and "master" in each}

    def forget(self) -> None:
        """The table is empty, as after a restart of the switch, or a time of silence."""
        self.place.run("ip", "link", "set", "lan", "type", "bridge", "fdb_flush")

    def watch(self) -> TableWatch:
        """Records from now on what the bridge learns."""
        return TableWatch(self.place)

    @staticmethod
    def _port(name: str) -> str:
        return f"p{name}"


class TableWatch:
    """The ports at which a bridge has learned each MAC, since this began. Needs iproute2's `bridge monitor`."""

    def __init__(self, place: Place) -> None:
        self._lock = threading.Lock()
        self._ports: dict[str, list[str]] = {}
        self._program = Program(place.inside(["stdbuf", "-oL", "bridge", "monitor", "fdb"]), "bridge monitor has ended")
        self._program.follow(self._read)

    def _read(self, line: str) -> None:
        words = line.split()
        if not words or words[0] == "Deleted" or "permanent" in words or "dev" not in words:
            return
        mac, port = words[0], words[words.index("dev") + 1]
        with self._lock:
            known = self._ports.setdefault(mac, [])
            if not known or known[-1] != port:
                known.append(port)

    def end(self) -> dict[str, list[str]]:
        """By MAC, the ports one after the other; a MAC that stayed has one."""
        self._program.end()
        with self._lock:
            return dict(self._ports)
