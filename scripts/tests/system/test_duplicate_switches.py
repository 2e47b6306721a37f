"""Two switches with one datapath id."""

from __future__ import annotations

import time

from malob.system import ovs
from malob.system.waiting import wait_until
from tests.system.base import SystemTest

_SECONDS = 10


class DuplicateSwitchesTest(SystemTest):
    topology_name = "single"

    def test_the_first_is_served(self) -> None:
        """the second is refused at each of its attempts: traffic goes on, and the problem names both; without the first, it is served"""
        first = self.lab.bridge("s1")
        second = f"{first}-twin"
        dpid = self.lab.topology.switches["s1"]
        self.virtual("twin", "10.0.0.106", 80)
        self.addCleanup(ovs.vsctl, "--if-exists", "del-br", second)
        controller = f"tcp:127.0.0.1:{self.controller.openflow_port}"
        ovs.vsctl(
            *("add-br", second, "--", "set", "Bridge", second, f"datapath_type={self.lab.datapath}", "fail_mode=secure", "protocols=OpenFlow13"),
            *(f"other_config:datapath-id={dpid.replace(':', '')}", "other_config:disable-in-band=true", "--", "--id=@c", "create", "Controller"),
            *(f'target="{controller}"', "max_backoff=1000", "connection_mode=out-of-band", "--", "set", "Bridge", second, "controller=@c"),
        )
        wait_until(lambda: self._problems(dpid), "the problem", 10)
        began = time.monotonic()
        while time.monotonic() < began + _SECONDS:
            self.assertEqual((3, 0), self.ping("c1", self.servers[0].ip))
            self.assertLessEqual(set(self.requests("c1", "10.0.0.106", 80, 10)), self.server_names)
        self.assertEqual(1, len(self._problems(dpid)))
        words = self.controller.log.read_text()
        self.assertEqual(1, words.count("switch_connected"), words)
        self.assertEqual(1, words.count("switch_duplicate"), words)

        ovs.vsctl("del-controller", first)
        wait_until(lambda: self.controller.log.read_text().count("switch_connected") == 2, "the second to be served", 10)
        self.assertEqual([], self._problems(dpid))

    def _problems(self, dpid: str) -> list[str]:
        found = self.controller.rest.get("/wm/malob/problems")
        return [each["problem"] for each in found if each["reason"] == "duplicate_switch" and dpid in each["problem"]]
