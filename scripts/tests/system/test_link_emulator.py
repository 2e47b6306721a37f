from __future__ import annotations

import functools
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

import pytest

from lab import measuring
from lab.shaping import trace
from lab.shaping.emulator import Emulator
from malob.errors import ScriptError
from malob.network.links import Direction
from malob.system import namespaces
from malob.system.processes import ProcessId, run
from malob.system.waiting import say, undisturbed, wait_until

FIRST, SECOND = "mlt-ea", "mlt-eb"


def _inside(name: str) -> measuring.Inside:
    return functools.partial(namespaces.inside, name)


@pytest.mark.beside
@pytest.mark.real_time
@pytest.mark.needs("emulator")
class LinkEmulatorTest(unittest.TestCase):
    """Two namespaces, each with one end of an emulated link, no switches. Tolerances are for a busy machine."""

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription()}")
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.emulator = Emulator(Path(directory.name), handover_ns=0)
        self.addCleanup(self._clean_up)
        self._remove_namespaces()
        self.emulator.join(FIRST, SECOND)
        for number, device in enumerate((FIRST, SECOND), start=1):
            run(["ip", "netns", "add", device])
            run(["ip", "link", "set", "dev", device, "netns", device])
            # the kernel's own messages would be counted
            run(namespaces.inside(device, ["sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 || true"]))
            run(["ip", "-n", device, "addr", "add", f"10.1.0.{number}/24", "dev", device])
            run(["ip", "-n", device, "link", "set", "dev", device, "up"])
        # the addresses find each other before anything is measured
        self.ping(1)

    def _clean_up(self) -> None:
        with undisturbed():
            self.emulator.stop()
            self._remove_namespaces()

    def _remove_namespaces(self) -> None:
        for name in (FIRST, SECOND):
            if namespaces.exists(name):
                run(["ip", "netns", "del", name])

    def both(self, direction: Direction) -> None:
        for device in (FIRST, SECOND):
            self.emulator.set(device, direction)

    def ping(self, count: int, size: int = 56) -> list[float]:
        """Round-trip times in milliseconds, the shortest first."""
        return measuring.round_trips_ms(_inside(FIRST), "10.1.0.2", count, size=size)

    def test_delay(self) -> None:
        """each direction delays by its own time"""
        self.emulator.set(FIRST, Direction(delay_ms=20))
        self.emulator.set(SECOND, Direction(delay_ms=10))
        times = self.ping(10)
        self.assertEqual(10, len(times))
        self.assertGreaterEqual(times[0], 30)
        self.assertLess(times[0], 32)

    def test_rate(self) -> None:
        """TCP gets what the rate leaves it, less headers"""
        self.emulator.set(FIRST, Direction(rate_mbps=10, delay_ms=5))
        goodput = measuring.throughput_mbps(_inside(FIRST), _inside(SECOND), "10.1.0.2", 3)
        self.assertGreater(goodput, 9)
        self.assertLess(goodput, 10)

    def test_serialization(self) -> None:
        """a lone long packet takes its time at a low rate, there and back"""
        self.both(Direction(rate_mbps=1))
        short, long = self.ping(10, size=100), self.ping(10, size=1100)
        # 1,000 bytes more are 8 ms at 1 Mbit/s
        self.assertAlmostEqual(16, long[0] - short[0], delta=1)

    def test_change(self) -> None:
        """a delay changes while packets flow, and counters go on"""
        self.assertLess(self.ping(5)[0], 2)
        before = self.emulator.read(FIRST).packets
        self.emulator.set(FIRST, Direction(delay_ms=15))
        self.assertGreaterEqual(self.ping(5)[0], 15)
        self.assertGreaterEqual(self.emulator.read(FIRST).packets, before + 5)

    def test_queue(self) -> None:
        """what a burst has more than the queue takes is dropped and counted"""
        self.emulator.set(FIRST, Direction(rate_mbps=1, queue_packets=10))
        before = self.emulator.read(FIRST)
        burst = "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nfor _ in range(50): s.sendto(bytes(1000), ('10.1.0.2', 9))"
        run(namespaces.inside(FIRST, [sys.executable, "-I", "-c", burst]))
        wait_until(lambda: self._gone(before.packets + before.dropped) >= 50, "the burst to have passed", 5)
        # ten wait and one is sent at once; at 8 ms each, one or two leave while the burst comes
        dropped = self.emulator.read(FIRST).dropped - before.dropped
        self.assertLessEqual(dropped, 39)
        self.assertGreater(dropped, 30)

    def _gone(self, before: int) -> int:
        read = self.emulator.read(FIRST)
        return read.packets + read.dropped - before

    def test_loss(self) -> None:
        """packets are lost with the probability asked for"""
        self.emulator.set(FIRST, Direction(loss=1))
        self.assertEqual([], self.ping(3))
        # the neighbour was known, so pings went out themselves
        self.assertEqual(3, self.emulator.read(FIRST).lost)

    def test_trace(self) -> None:
        """a trace changes the delay every half second, over and over"""
        self.emulator.play(FIRST, trace.parse("t", "seconds,rate_mbps,delay_ms\n0,10,0\n0.5,20,30\n"))
        seen = set()
        deadline = time.monotonic() + 2.5
        while time.monotonic() < deadline:
            read = self.emulator.read(FIRST)
            self.assertTrue(read.traced)
            seen.add((read.direction.rate_mbps, read.direction.delay_ms))
            time.sleep(0.05)
        self.assertEqual({(10, None), (20, 30)}, seen)
        self.emulator.set(FIRST, Direction(rate_mbps=7))
        time.sleep(1)
        self.assertEqual((7, False), (self.emulator.read(FIRST).direction.rate_mbps, self.emulator.read(FIRST).traced))

    def test_wrong_request(self) -> None:
        """a wrong request is refused with the word that is wrong, and changes nothing"""
        self.emulator.set(FIRST, Direction(rate_mbps=3))
        for device, limits, words in (
            ("mlt-none", Direction(), "no such device: mlt-none"),
            (FIRST, Direction(rate_mbps=1, queue_packets=10_000), "queue_packets=10000"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(ScriptError, words):
                self.emulator.set(device, limits)
        with self.assertRaisesRegex(ScriptError, "cannot join the devices"):
            self.emulator.join("mlt-much-too-long-a-name", "mlt-ec")
        self.assertEqual(3, self.emulator.read(FIRST).direction.rate_mbps)

    def test_crash(self) -> None:
        """killed, it leaves no device behind; stop() finds it also from another object"""
        pid = self.emulator.pid
        assert pid is not None
        process = ProcessId.of(pid)
        assert process is not None
        self.emulator.join("mlt-ec", "mlt-ed")
        self.assertTrue(namespaces.device_exists("mlt-ec"))
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not process.alive(), "the emulator to end", 5)
        self.assertFalse(namespaces.device_exists("mlt-ec"))
        with self.assertRaisesRegex(ScriptError, "does not answer"):
            self.emulator.read(FIRST)
        self.emulator.join("mlt-ec", "mlt-ed")
        Emulator(self.emulator.directory, handover_ns=0).stop()
        self.assertIsNone(self.emulator.pid)


if __name__ == "__main__":
    unittest.main()
