from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from lab.shaping import netem, trace
from malob.errors import ScriptError
from malob.network.links import Direction
from malob.system.waiting import wait_until


class NetemTest(unittest.TestCase):
    def words(self, **limits: float | int | None) -> str:
        return " ".join(netem.arguments(Direction(**limits)))  # type: ignore[arg-type]

    def test_direction_without_limits_has_room_and_names_a_rate_that_ends_the_last_one(self) -> None:
        self.assertEqual("netem limit 100000 rate 100000000000bit -14", self.words())

    def test_rate_counts_packets_without_ethernet_header(self) -> None:
        self.assertEqual("netem limit 101 rate 57800000bit -14", self.words(rate_mbps=57.8))

    def test_limit_has_room_for_the_wire_as_well(self) -> None:
        # 12 Mbit/s for 10 ms are ten full packets
        self.assertEqual("netem limit 31 rate 12000000bit -14 delay 10000us", self.words(rate_mbps=12, delay_ms=10, queue_packets=20))

    def test_delay_and_loss(self) -> None:
        self.assertEqual("netem limit 100000 rate 100000000000bit -14 delay 250us loss random 1.5000%", self.words(delay_ms=0.25, loss=0.015))

    def test_counters_are_without_ethernet_headers(self) -> None:
        read = netem.reading([{"kind": "noqueue"}, {"kind": "netem", "bytes": 10_140, "packets": 10, "drops": 3}], Direction(1), True)
        self.assertEqual((10, 0.01, 3, True), (read.packets, read.mbytes, read.dropped, read.traced))

    def test_missing_netem_is_told(self) -> None:
        with self.assertRaises(ScriptError):
            netem.reading([{"kind": "noqueue"}], Direction(), False)


class ShaperTest(unittest.TestCase):
    """The commands that netem would be given; no kernel is asked."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.ran = self.enter(mock.patch("lab.shaping.netem.run", return_value=""))
        self.enter(mock.patch("malob.system.namespaces.run", self.ran))
        self.start = self.enter(mock.patch("lab.shaping.netem.PidFile.start"))
        self.netem = netem.Netem(self.directory)

    def enter(self, patch: Any) -> Any:
        self.addCleanup(patch.stop)
        return patch.start()

    def test_link_is_a_veth_pair_shaped_at_both_ends(self) -> None:
        self.netem.join("mlt-1p1", "mlt-2p1")
        commands = [" ".join(call.args[0]) for call in self.ran.call_args_list]
        self.assertEqual("ip link add mlt-1p1 type veth peer name mlt-2p1", commands[0])
        for device in ("mlt-1p1", "mlt-2p1"):
            self.assertTrue(any(c.startswith(f"tc qdisc replace dev {device} root netem ") for c in commands), commands)

    def test_trace_keeps_queue_and_what_it_does_not_say(self) -> None:
        self.netem.set("mlt-1p1", Direction(5, 3, 20, 0.01))
        self.netem.play("mlt-1p1", trace.parse("t", "seconds,rate_mbps\n0,10\n1,2\n"))
        program = self.start.call_args.args[0]
        plan = json.loads(Path(program[-1]).read_text())
        self.assertEqual(2, plan["period_s"])
        first, second = plan["steps"]
        self.assertEqual((0, 1), (first[0], second[0]))
        self.assertEqual("tc qdisc change dev mlt-1p1 root netem limit 22 rate 2000000bit -14 delay 3000us loss random 1.0000%", " ".join(second[1]))

    def test_device_of_no_link_is_told(self) -> None:
        with self.assertRaisesRegex(ScriptError, "mlt-9p9"):
            self.netem.read("mlt-9p9")


class PlayerTest(unittest.TestCase):
    def test_steps_come_in_order_and_over_and_over(self) -> None:
        with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
            seen, plan = Path(directory, "seen"), Path(directory, "plan")
            plan.write_text(
                json.dumps(
                    {"period_s": 0.1, "steps": [[seconds, ["sh", "-c", f"printf {letter} >>{seen}"]] for seconds, letter in ((0, "a"), (0.05, "b"))]}
                )
            )
            player = subprocess.Popen([sys.executable, "-I", str(netem.PLAYER), str(plan)])
            try:
                wait_until(lambda: seen.exists() and len(seen.read_text()) >= 5, "five steps", 20, 0.01)
            finally:
                player.kill()
                player.wait()
            self.assertEqual("ababa", seen.read_text()[:5])


if __name__ == "__main__":
    unittest.main()
