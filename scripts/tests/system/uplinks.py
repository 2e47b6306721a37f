"""A host with several uplinks, for the tests of end hosts: network namespaces, joined by veth pairs.

    mle-h  eth0 10.0.1.2, 2001:db8:1::2 ---- 10.0.1.1 eth0  mle-1, which is also the server 203.0.113.1, 2001:db8:ff::1
           eth1 10.0.2.2, 2001:db8:2::2 ---- 10.0.2.1 eth0  mle-2, which is also that server; its IPv6 gateway is fe80::2

Each gateway plays the server itself, and answers with its own name: so it shows which uplink a flow took.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.processes import RESPONDER
from malob.errors import ScriptError
from malob.system import namespaces
from malob.system.processes import ProcessId, bound_to_us, run
from malob.system.waiting import wait_until

HOST = "mle-h"
SERVER, SERVER6 = "203.0.113.1", "2001:db8:ff::1"
HTTP_PORT, TALK_PORT, SSH_PORT = 80, 7, 22
TALKER = Path(__file__).parent / "talker.py"

_GATEWAY = """
ip link set lo up
ethtool -K eth0 tx off
ip address add 10.0.{n}.1/24 dev eth0
ip address add {server}/32 dev lo
ip -6 address add 2001:db8:{n}::1/64 dev eth0 nodad
ip -6 address add fe80::{n}/64 dev eth0 nodad
ip -6 address add {server6}/128 dev lo nodad
ip link set eth0 up
nft -f - <<END
table inet counting {{
    counter resets {{ }}
    counter unreachable {{ }}
    counter foreign {{ }}
    chain coming {{
        type filter hook prerouting priority -300
        iifname eth0 tcp flags rst counter name resets
        iifname eth0 icmp type destination-unreachable counter name unreachable
        iifname eth0 ip saddr != 10.0.{n}.0/24 counter name foreign
    }}
}}
END
"""
_UPLINK = """
ethtool -K eth{i} tx off
echo 0 >/proc/sys/net/ipv6/conf/eth{i}/accept_dad
ip address add 10.0.{n}.2/24 dev eth{i}
ip -6 address add 2001:db8:{n}::2/64 dev eth{i} nodad
ip link set eth{i} up
ip route add default via 10.0.{n}.1 dev eth{i} metric {n}00
ip -6 route add default via {gateway6} dev eth{i} metric {n}00
"""


def gateway6(n: int) -> str:
    """Of the n-th uplink, from 1 on: the second one's is link-local, as those are that routers announce."""
    return "2001:db8:1::1" if n == 1 else f"fe80::{n}"


class UplinkNetwork:
    """The network, and what runs in it. close() ends and removes all."""

    def __init__(self, count: int = 2) -> None:
        self.gateways = [f"mle-{n}" for n in range(1, count + 1)]
        self._processes: list[subprocess.Popen[Any]] = []
        self.close()
        for name in (HOST, *self.gateways):
            run(["ip", "netns", "add", name])
        self.host("ip", "link", "set", "lo", "up")
        for n, gateway in enumerate(self.gateways, 1):
            self.join(n)
            for command in (
                [str(RESPONDER), gateway, "--http", str(HTTP_PORT)],
                [str(TALKER), "serve", gateway, str(TALK_PORT), "--datagrams", SERVER],
            ):
                self._start(gateway, [sys.executable, "-I", *command], stdin=subprocess.DEVNULL)
        self._start(HOST, [sys.executable, "-I", str(TALKER), "serve", HOST, str(SSH_PORT)], stdin=subprocess.DEVNULL)
        for place, port in ((HOST, SSH_PORT), *((gateway, TALK_PORT) for gateway in self.gateways)):
            wait_until(lambda: f":{port} " in run(namespaces.inside(place, ["ss", "-Hltn"])), f"{place} to listen", 10)

    def join(self, n: int) -> None:
        """Makes the n-th uplink, from 1 on; for the first time, or again."""
        run(["ip", "link", "add", f"eth{n - 1}", "netns", HOST, "type", "veth", "peer", "name", "eth0", "netns", f"mle-{n}"])
        run(namespaces.inside(f"mle-{n}", ["sh", "-ec", _GATEWAY.format(n=n, server=SERVER, server6=SERVER6)]))
        self.host("sh", "-ec", _UPLINK.format(n=n, i=n - 1, gateway6=gateway6(n)))

    def host(self, *command: str, check: bool = True, timeout_s: float = 60) -> str:
        """What a command on the host prints."""
        return run(namespaces.inside(HOST, command), timeout_s, check)

    def start(self, *command: str, place: str = HOST) -> subprocess.Popen[str]:
        """Starts a program, with pipes to its stdin and stdout; it ends with the network at the latest."""
        return self._start(place, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _start(self, place: str, command: Sequence[str], **more: Any) -> subprocess.Popen[Any]:
        process = subprocess.Popen(bound_to_us(namespaces.inside(place, command)), stderr=subprocess.DEVNULL, **more)
        self._processes.append(process)
        return process

    def malob(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs `malob endhost` on the host; the code that it ended with, and what it said."""
        command = [sys.executable, str(Path(__file__).parents[2] / "command.py"), "malob.cli.endhost", *words]
        return subprocess.run(namespaces.inside(HOST, command), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def up(self, *more: str) -> None:
        """Sets the end host up with all uplinks. Raises ScriptError with what it said if that fails."""
        words = [word for n in range(len(self.gateways)) for word in ("--uplink", f"eth{n}")]
        done = self.malob("up", *words, *more)
        if done.returncode != 0:
            raise ScriptError(f"up ended with {done.returncode}: {done.stderr}")

    def status(self) -> Any:
        return json.loads(self.malob("status", "--json").stdout)

    def down(self) -> None:
        done = self.malob("down")
        if done.returncode != 0:
            raise ScriptError(f"down ended with {done.returncode}: {done.stderr}")

    def counted(self, what: str) -> int:
        """How many packets of a kind have come to the gateways: "resets", "unreachable", "foreign" (not from the uplink's address)."""
        total = 0
        for gateway in self.gateways:
            shown = run(namespaces.inside(gateway, ["nft", "list", "counter", "inet", "counting", what]))
            total += int(re.search(r"packets (\d+)", shown).group(1))  # type: ignore[union-attr]
        return total

    def snapshot(self) -> dict[str, str]:
        """All of the host's network that `up` may touch."""
        shown = {
            "addresses": re.sub(r"(?m)^\s+valid_lft.*\n", "", self.host("ip", "-details", "address")),
            "neighbours of ours": self.host("ip", "neighbour", "show", "nud", "permanent"),
            "nftables": self.host("nft", "list", "ruleset"),
            "settings": self.host("sh", "-c", "cd /proc/sys/net && grep -rs . ipv4 ipv6 core netfilter | sort", check=False),
        }
        for version in ("-4", "-6"):
            shown[f"routes {version}"] = re.sub(r" expires \d+sec", "", self.host("ip", version, "route", "show", "table", "all"))
            shown[f"rules {version}"] = self.host("ip", version, "rule")
        for at in range(len(self.gateways)):
            shown[f"features of eth{at}"] = self.host("ethtool", "-k", f"eth{at}", check=False)
        return shown

    def close(self) -> None:
        if namespaces.exists(HOST):
            self.malob("down")
        for process in self._processes:
            known = ProcessId.of(process.pid)
            if known is not None:
                known.end()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        namespaces.delete([HOST, *self.gateways])


class Talk:
    """One connection from the host that goes on and on, by talker.py."""

    def __init__(self, network: UplinkNetwork, *more: str, place: str = HOST, address: str = SERVER, port: int = TALK_PORT) -> None:
        self._process = network.start(sys.executable, "-I", str(TALKER), "hold", address, str(port), *more, place=place)
        self.events: list[dict[str, Any]] = []
        self.local = self.next()["local"]

    def next(self) -> dict[str, Any]:
        """The next event; waits for it, for as long as the connection's own limit of 90 s."""
        line = self._process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise ScriptError(f"the connection has ended: {self.events[-1:]}")
        event = json.loads(line)
        if "local" not in event and "by" not in event and "end" not in event:
            raise ScriptError(f"unexpected: {event}")
        self.events.append(event)
        return event

    def by(self) -> str:
        """Who answers now: an event from after this call."""
        import time

        now = time.monotonic()
        while True:
            event = self.next()
            if "end" in event:
                return f"ended: {event['end']}"
            if event["at"] > now:
                return event["by"]

    def end(self) -> dict[str, Any]:
        """How it ended; waits for it."""
        while "end" not in (self.events[-1] if self.events else {}):
            self.next()
        return self.events[-1]

    def quit(self) -> None:
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait(10)
