"""What the controller keeps when it ends, however it ends."""

from __future__ import annotations

from lab import balancing
from malob.system.waiting import wait_until
from tests.system.base import SystemTest


class RestartTest(SystemTest):
    topology_name = "single"

    def test_restart_keeps_the_catalog(self) -> None:
        """after a restart in order, VIP, pool, members and services are as before, and work"""
        virtual = self.virtual("keep", "10.0.0.101", 80, algorithm="WRR")
        before = self._catalog()
        self.controller.restart()
        self.wait_for_network()
        self.assertEqual(before, self._catalog())
        wait_until(lambda: balancing.all_located(self.controller.rest, virtual), "the servers to be found again", 10)
        self.assertEqual(self.server_names, set(self.requests("c1", "10.0.0.101", 80, 6)))

    def test_kill_keeps_what_was_answered(self) -> None:
        """kill -9 right after a 2xx: the write is still there"""
        for number in range(3):
            vip = {"id": f"killed{number}", "name": "killed", "protocol": "tcp", "address": f"10.0.0.{150 + number}", "port": "80"}
            self.controller.rest.post(f"{balancing.BASE}/vips/", vip)
            self.controller.kill()
            self.controller.start()
            found = {item["id"] for item in self.controller.rest.get(f"{balancing.BASE}/vips/")}
            self.assertIn(f"killed{number}", found)

    def _catalog(self) -> dict[str, object]:
        return {kind: sorted(self.controller.rest.get(f"{balancing.BASE}/{kind}/"), key=str) for kind in ("vips", "pools", "members", "services")}
