"""A host with several uplinks, and a server that it reaches over each of them; for experiments.

    host eth0 -- emulator -- gw1 --+
    host eth1 -- emulator -- gw2 --+-- server

Each is a network namespace. For Open vSwitch the host is a separate machine: its sockets and ours, below /run, are separate
from those of the real machine. This module knows nothing about switches and controllers. The next run removes the remains of
a killed one.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lab.shaping.emulator import Emulator
from lab.shaping.trace import Trace
from malob.errors import ScriptError
from malob.network.links import Direction
from malob.system import namespaces
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal, Step
from malob.system.lock import locked
from malob.system.namespaces import End, add_pair
from malob.system.place import RUN_DIRECTORY
from malob.system.preparation import prepare
from malob.system.processes import bound_to_us, run
from malob.system.waiting import undisturbed, wait_until

#: The prefix of all names in the system.
NAME = "mlup"
DIRECTORY = RUN_DIRECTORY / NAME
JOURNAL = DIRECTORY / "journal.json"
#: The host has its own, mounted here; created on machines without MALOB's controller.
_KEPT = Path("/var/lib/malob")

#: The first of the server's addresses; there are as many as needed.
SERVERS = "10.79.0.0/24"
SERVER = "10.79.0.1"

#: The addresses of the host and the gateway on the uplink of this number.
HOST_ADDRESS, GATEWAY_ADDRESS = "10.77.{}.2", "10.77.{}.1"

#: The kernel leaves checksums to hardware, which a veth does not have; programs in user space would forward them unfinished.
_DEVICE = """
ethtool -K "$1" tx off
echo 1 2>/dev/null >"/proc/sys/net/ipv6/conf/$1/disable_ipv6" || true
[ -z "${2:-}" ] || ip addr add "$2" dev "$1"
ip link set "$1" up
"""

#: Cached metrics of destinations would let one case affect the next.
_EACH = "sysctl -qw net.ipv4.tcp_no_metrics_save=1"
_GATEWAY = 'sysctl -qw net.ipv4.ip_forward=1; ip route add "$1" via "$2"'

#: Its mounts are private; it lives until it is stopped.
_MACHINE = """
mount --make-rprivate /
for place in /run/openvswitch /run/malob /var/lib/malob; do
  mkdir -p "$place"
  mount -t tmpfs none "$place"
done
echo ready
exec sleep infinity
"""


@dataclass(frozen=True)
class UplinkLine:
    """What an uplink does to packets in both directions."""

    down: Direction
    up: Direction

    @staticmethod
    def of(rate_mbps: float | None, delay_ms: float, queue_packets: int) -> UplinkLine:
        """The same in both directions. rate_mbps: None for no limit."""
        both = Direction(rate_mbps, delay_ms, queue_packets)
        return UplinkLine(both, both)


class MultihomedNetwork:
    """A running network. Made by open_network(). Uplinks count from 0, like their devices on the host: eth0, eth1..."""

    def __init__(self, lines: Sequence[UplinkLine | None], congestion: str) -> None:
        """lines: None for plain cables, as fast as the kernel, which cannot be changed or read here."""
        self.lines = tuple(lines)
        self.emulator = Emulator(DIRECTORY, 0)
        self._congestion = congestion
        self._journal = Journal(JOURNAL)
        self._machine: subprocess.Popen[str] | None = None

    @property
    def names(self) -> list[str]:
        """Of the uplinks."""
        return [f"eth{number}" for number in range(len(self.lines))]

    def address(self, uplink: int) -> str:
        """The host's address on an uplink."""
        return HOST_ADDRESS.format(uplink + 1)

    def gateway(self, uplink: int) -> str:
        return GATEWAY_ADDRESS.format(uplink + 1)

    def on_host(self, command: Sequence[str]) -> list[str]:
        """The command on the host; it begins in /."""
        assert self._machine is not None
        return ["nsenter", f"--target={self._machine.pid}", "--net", "--mount", "--", *command]

    def on_server(self, command: Sequence[str]) -> list[str]:
        return ["nsenter", f"--net=/run/netns/{NAME}-server", "--", *command]

    @property
    def host_root(self) -> Path:
        """The host's files as this process can read them."""
        assert self._machine is not None
        return Path(f"/proc/{self._machine.pid}/root")

    def pid_on_host(self, pattern: str) -> int | None:
        """The process id of the program on the host whose command line matches; None if there is none."""
        assert self._machine is not None
        words = run(["pgrep", "-f", "--ns", str(self._machine.pid), "--nslist", "net", pattern], check=False)
        return int(words.split()[0]) if words.strip() else None

    def down_device(self, uplink: int) -> str:
        """The device at which packets to the host enter the emulator."""
        return f"{NAME}-{uplink + 1}g"

    def up_device(self, uplink: int) -> str:
        return f"{NAME}-{uplink + 1}h"

    @property
    def shaped_devices(self) -> list[str]:
        numbers = [number for number, line in enumerate(self.lines) if line is not None]
        return [device(number) for number in numbers for device in (self.down_device, self.up_device)]

    def shape(self, uplink: int, line: UplinkLine) -> None:
        """From now on."""
        self.emulator.set(self.down_device(uplink), line.down)
        self.emulator.set(self.up_device(uplink), line.up)

    def play(self, uplink: int, trace: Trace) -> None:
        """Lets a trace change both directions of an uplink from now on; queues stay as they are."""
        for device in (self.down_device(uplink), self.up_device(uplink)):
            self.emulator.play(device, trace)

    def pass_on(self, uplink: int, whether: bool) -> None:
        """Switches forwarding of an uplink's gateway on or off: when off, the gateway still answers, but no host behind it."""
        run(self._in(f"gw{uplink + 1}", ["sysctl", "-qw", f"net.ipv4.ip_forward={int(whether)}"]))

    def restore(self) -> None:
        """Resets all uplinks to their initial state."""
        for number, line in enumerate(self.lines):
            if line is not None:
                self.shape(number, line)

    def received_bytes(self, uplink: int) -> int:
        """The bytes that the uplink has delivered to the host so far: IP packets with their headers."""
        return round(self.emulator.read(self.down_device(uplink)).mbytes * 1e6)

    def build(self) -> None:
        """Creates everything. The remains of an earlier run must have been removed."""
        self._journal.begin()
        places = ["host", "server", *(f"gw{number + 1}" for number in range(len(self.lines)))]
        namespaces.add(self._journal, [f"{NAME}-{place}" for place in places])
        for place in places:
            run(self._in(place, _EACH.split()))
        self._journal.add("links")
        run(self._in("server", ["ip", "addr", "add", f"{SERVER}/32", "dev", "lo"]))
        for number in range(len(self.lines)):
            self._uplink(number)
        self.restore()
        self._journal.add("directory", path=str(_KEPT))
        self._machine = subprocess.Popen(
            bound_to_us(["ip", "netns", "exec", f"{NAME}-host", "sh", "-ec", _MACHINE]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._machine.stdout is not None
        if self._machine.stdout.readline() != "ready\n":
            raise ScriptError("the host's mounts cannot be made its own")
        wait_until(
            lambda: not self._unreachable(),
            "the server to be reached over all uplinks",
            15,
            detail=lambda: f"not over {', '.join(self._unreachable())}",
        )

    def _uplink(self, number: int) -> None:
        """Host, emulator, gateway, server, in this order; the first uplink is the host's default route."""
        place, host, gateway = f"gw{number + 1}", self.address(number), self.gateway(number)
        shaped = self.lines[number] is not None
        if shaped:
            for far, name, device in (("host", f"eth{number}", self.up_device(number)), (place, "eth0", self.down_device(number))):
                add_pair(self._journal, End(device), End(name, f"{NAME}-{far}"))
                namespaces.take_up([device])
        else:
            add_pair(self._journal, End(f"eth{number}", f"{NAME}-host"), End("eth0", f"{NAME}-{place}"))
        run(self._in("host", ["sh", "-ec", _DEVICE, "sh", f"eth{number}", f"{host}/24"]))
        run(self._in(place, ["sh", "-ec", _DEVICE, "sh", "eth0", f"{gateway}/24"]))
        add_pair(self._journal, End("eth1", f"{NAME}-{place}"), End(place, f"{NAME}-server"))
        behind = f"10.78.{number + 1}."
        run(self._in(place, ["sh", "-ec", _DEVICE, "sh", "eth1", f"{behind}1/24"]))
        run(self._in("server", ["sh", "-ec", _DEVICE, "sh", place, f"{behind}2/24"]))
        run(self._in(place, ["sh", "-ec", _GATEWAY, "sh", SERVERS, f"{behind}2"]))
        run(self._in("server", ["ip", "route", "add", f"10.77.{number + 1}.0/24", "via", f"{behind}1", "src", SERVER, "congctl", self._congestion]))
        run(self._in("host", ["ip", "route", "add", "default", "via", gateway, "metric", str(100 + number)]))
        if shaped:
            self.emulator.join(self.up_device(number), self.down_device(number))

    def _unreachable(self) -> list[str]:
        found = []
        for number, name in enumerate(self.names):
            ping = self._in("host", ["ping", "-n", "-c", "1", "-W", "1", "-I", name, self.gateway(number)])
            if subprocess.run(ping, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                found.append(name)
        return found

    def _in(self, place: str, command: Sequence[str]) -> list[str]:
        return namespaces.inside(f"{NAME}-{place}", command)

    def remove(self) -> None:
        """Removes everything that exists. Raises ScriptError if something is left after all attempts."""
        try:
            clear()
        finally:
            if self._machine is not None:
                self._machine.kill()
                self._machine.wait()
                assert self._machine.stdout is not None
                self._machine.stdout.close()


def clear() -> None:
    """Removes the remains of a network of this kind. Raises ScriptError if something is left after all attempts."""
    journal, cleanup = Journal(JOURNAL), Cleanup()
    if journal.exists():
        undo = {**namespaces.UNDO, "links": lambda _: Emulator(DIRECTORY, 0).stop(), "directory": _remove_if_empty}
        journal.undo(undo, cleanup)
        cleanup.finish()
    shutil.rmtree(DIRECTORY, ignore_errors=True)


def _remove_if_empty(step: Step) -> None:
    """Removes a directory that was created as a mount point of the host, unless others have put something there."""
    with suppress(OSError):
        Path(step["path"]).rmdir()


@contextmanager
def open_network(lines: Sequence[UplinkLine | None], congestion: str) -> Iterator[MultihomedNetwork]:
    """In the context, the network is up; afterwards everything is removed, also after a failure and Ctrl-C.

    congestion: congestion control of the server. Raises ScriptError.
    """
    with locked(RUN_DIRECTORY / f"{NAME}.lock", "is running an experiment with uplinks, and there is room for one", 0):
        clear()
        prepare("emulator")
        network = MultihomedNetwork(lines, congestion)
        try:
            network.build()
            yield network
        finally:
            with undisturbed():
                network.remove()
