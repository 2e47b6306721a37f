"""Switches that go from this controller to another one, and back."""

from __future__ import annotations

from malob.system import ovs
from malob.system.waiting import wait_until
from tests.system.base import SystemTest
from tests.system.other_controller import OtherController


class RolesTest(SystemTest):
    topology_name = "single"

    def tearDown(self) -> None:
        self._obey()
        self._wait_for_role(None)
        self._obey(self.controller.endpoint)
        self._wait_for_role("MASTER")

    def test_other_controller_takes_over_and_gives_back(self) -> None:
        """a controller that claims with generation id 0, as Floodlight does, is never refused, however often the switch changes"""
        with OtherController() as other:
            for _ in range(2):
                self._wait_for_role("MASTER")
                self._obey(other.endpoint)
                self._wait_for_role(None)
                other.accept()
                self.assertEqual("master", other.role("master"))
                other.leave()
                self._obey(self.controller.endpoint)
        self._wait_for_role("MASTER")

    def test_two_at_a_time_obey_the_one_that_claimed_last(self) -> None:
        """while both are connected there is one master; this controller takes the switch back when it connects anew"""
        with OtherController() as other:
            self._obey(self.controller.endpoint, other.endpoint)
            other.accept()
            self.assertEqual("master", other.role("master"))
            self._wait_for_role("SLAVE")
            self._obey(other.endpoint)
            self._obey(self.controller.endpoint, other.endpoint)
            self._wait_for_role("MASTER")
            self.assertEqual("slave", other.role("nochange"))

    def test_with_a_cluster_its_generation_id_stays(self) -> None:
        """this controller claims with the generation id that the switch has: it neither lets an older one in nor locks a newer one out

        The last of these tests: a switch never goes back to 0.
        """
        with OtherController() as leader:
            self._obey(leader.endpoint)
            leader.accept()
            self.assertEqual("master", leader.role("master", 5))
            self._obey(leader.endpoint, self.controller.endpoint)
            self._wait_for_role("MASTER")
            self.assertEqual("slave", leader.role("nochange"))
            self.assertEqual("refused", leader.role("master", 4))
            self.assertEqual("master", leader.role("master", 5))

    def _obey(self, *controllers: str) -> None:
        ovs.vsctl("set-controller", self.lab.bridge("s1"), *(f"tcp:{each}" for each in controllers))

    def _wait_for_role(self, role: str | None) -> None:
        """None: until the controller has seen that the switch is gone, so that the next role is that of a new connection"""
        switch = self.lab.topology.switches["s1"]
        expected = {switch: f"ROLE_{role}"} if role else None
        wait_until(
            lambda: self.controller.rest.get("/wm/core/switch/all/role/json").get(switch) == expected,
            f"this controller to be {role.lower()}" if role else "the switch to be gone",
            15,
        )
