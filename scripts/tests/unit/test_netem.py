from __future__ import annotations

import unittest

from base.errors import ScriptError
from lab.links import Direction
from lab.shaping import netem


class NetemTest(unittest.TestCase):
    def words(self, **limits: "float | int | None") -> str:
        return " ".join(netem.arguments(Direction(**limits)))  # type: ignore[arg-type]

    def test_direction_without_limits_has_room(self) -> None:
        self.assertEqual("netem limit 100000", self.words())

    def test_rate_counts_packets_without_ethernet_header(self) -> None:
        self.assertEqual("netem limit 101 rate 57800000bit -14", self.words(rate_mbps=57.8))

    def test_limit_has_room_for_the_wire_as_well(self) -> None:
        # 12 Mbit/s for 10 ms are ten full packets
        self.assertEqual(
            "netem limit 31 rate 12000000bit -14 delay 10000us", self.words(rate_mbps=12, delay_ms=10, queue_packets=20))

    def test_delay_and_loss(self) -> None:
        self.assertEqual("netem limit 100000 delay 250us loss random 1.5000%", self.words(delay_ms=0.25, loss=0.015))

    def test_counters_are_without_ethernet_headers(self) -> None:
        read = netem.reading(
            [{"kind": "noqueue"}, {"kind": "netem", "bytes": 10_140, "packets": 10, "drops": 3}], Direction(1), True)
        self.assertEqual((10, 0.01, 3, True), (read.packets, read.mbytes, read.dropped, read.traced))

    def test_missing_netem_is_told(self) -> None:
        with self.assertRaises(ScriptError):
            netem.reading([{"kind": "noqueue"}], Direction(), False)


if __name__ == "__main__":
    unittest.main()
