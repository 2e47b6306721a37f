"""What operators ask of VIPs, pools and members, with real clients and servers."""

from __future__ import annotations

import sys
from typing import Any

from lab import balancing
from tests.system.base import SystemTest

#: opens connections one after the other, keeps them for a moment, and prints what became of each
OPENER = (
    "import socket, sys\n"
    "kept = []\n"
    "for _ in range(int(sys.argv[3])):\n"
    "    try:\n"
    "        kept.append(socket.create_connection((sys.argv[1], int(sys.argv[2])), 1.5))\n"
    "        print('open')\n"
    "    except OSError as error:\n"
    "        print(type(error).__name__)\n"
)


class PoliciesTest(SystemTest):
    topology_name = "single"

    def _put(self, path: str, fields: dict[str, Any]) -> None:
        self.controller.rest.put(f"{balancing.BASE}/{path}", fields)

    def _open(self, address: str, count: int) -> list[str]:
        """What becomes of so many connections, all but the last of which are kept open meanwhile."""
        return self.on("c1", sys.executable, "-I", "-c", OPENER, address, "80", str(count)).split()

    def _refused(self, reason: str) -> int:
        return int(self.controller.rest.get("/wm/malob/refusals")[reason])

    def test_client_that_is_not_allowed(self) -> None:
        """what a client sends that a VIP does not allow is dropped by its switch; once it is allowed, it is served at once"""
        self.virtual("closed", "10.0.0.141", 80)
        self._put("vips/closed", {"allowed_sources": ["192.168.0.0/16"]})
        self.assertEqual(["TimeoutError"], self._open("10.0.0.141", 1))
        drops = [rule for rule in self.rules_naming("10.0.0.141") if "hard_timeout=10" in rule]
        self.assertEqual(1, len(drops), drops)
        self.assertIn("actions=drop", drops[0])
        self.assertEqual(1, self._refused("not_allowed"), "its switch keeps the second SYN to itself")

        self._put("vips/closed", {"allowed_sources": ["10.0.0.0/8"]})

        self.assertEqual(["open"], self._open("10.0.0.141", 1))

    def test_limits(self) -> None:
        """a VIP has as many connections as it may have, and no more"""
        self.virtual("full", "10.0.0.142", 80)
        self._put("vips/full", {"connection_limit": 3})
        self.assertEqual(["open"] * 3 + ["ConnectionRefusedError"] * 2, self._open("10.0.0.142", 5))
        self.assertEqual(2, self._refused("vip_full"))

    def test_persistence_and_backups(self) -> None:
        """a client stays with its member until that takes nothing new; a backup serves while there is no other"""
        virtual = self.virtual("kept", "10.0.0.143", 80)
        one, two = (self.member_of(virtual, server.name) for server in self.servers)
        self._put("pools/kept", {"session_persistence": {"type": "SOURCE_IP", "timeout": 60}})
        stays = set(self.requests("c1", "10.0.0.143", 80, 10))
        self.assertEqual(1, len(stays), stays)
        self._put("pools/kept", {"session_persistence": None})

        self._put(f"members/{one}", {"backup": True})
        self.assertEqual({self.servers[1].name}, set(self.requests("c1", "10.0.0.143", 80, 6)))
        self._put(f"members/{two}", {"weight": 0})
        self.assertEqual({self.servers[0].name}, set(self.requests("c1", "10.0.0.143", 80, 6)))
