from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unittest

import pytest

from lab import check, instance
from lab.instance import Instance
from lab.saturation import SaturationMeter
from lab.shaping import choice, trace
from malob.errors import UsageError
from malob.network import labs, topology
from malob.network.links import Direction
from malob.system import namespaces, ovs
from malob.system.place import ROOT, RUN_DIRECTORY
from malob.system.processes import ProcessId, run
from malob.system.waiting import say, undisturbed, wait_until

NAME = "mlt"

#: a and b are joined by a link with limits, b and c by one without.
TOPOLOGY = {
    "switches": {name: f"00:00:00:00:00:00:00:0{n}" for n, name in enumerate("abc", start=1)},
    "hosts": {},
    "links": [{"ends": ["a", "b"], "rate_mbps": [40, 20], "delay_ms": [5, 10], "queue_packets": 200}, ["b", "c"]],
}


@pytest.mark.real_time
@pytest.mark.needs("emulator")
class ShapedLinksTest(unittest.TestCase):
    """A lab without a controller; its links carry what passes between the nodes of their switches."""

    lab: Instance

    @classmethod
    def setUpClass(cls) -> None:
        cls.addClassCleanup(cls._clean_up)
        # half of the rates: 20 and 10 Mbit/s
        cls.lab = instance.up(topology.parse("shaped", TOPOLOGY), NAME, owned=True, scale=0.5, shaper="emulator")

    @classmethod
    def _clean_up(cls) -> None:
        with undisturbed():
            instance.remove_own(NAME)

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self.shortDescription()}")

    def port_number(self, switch: str, other: str) -> int:
        return int(ovs.vsctl("get", "Interface", self.lab.link_device(switch, other), "ofport"))

    def test_check(self) -> None:
        """a check measures delays of both ways together, rates of each, and leaves no rule behind"""
        there, back = check.measure(self.lab, [self.lab.topology.link("a", "b")], pings=10, seconds=2)
        assert there.rtt_ms is not None and there.throughput_mbps is not None and back.throughput_mbps is not None
        self.assertGreater(there.rtt_ms, 14.7)
        self.assertLess(there.rtt_ms, 25)
        self.assertEqual((20, 10), (there.rate_mbps, back.rate_mbps))
        self.assertTrue(15 < there.throughput_mbps < 20, there)
        self.assertTrue(7.5 < back.throughput_mbps < 10, back)
        for switch in ("a", "b"):
            self.assertNotIn("priority=65535", ovs.ofctl("dump-flows", self.lab.bridge(switch)))

    def test_link_without_limits_gets_them(self) -> None:
        """a link without limits gets them while the lab runs, and its ports keep their numbers"""
        link = self.lab.topology.link("b", "c")
        numbers = self.port_number("b", "c"), self.port_number("c", "b")
        self.assertEqual("patch", ovs.vsctl("get", "Interface", self.lab.link_device("b", "c"), "type").strip())
        self.lab.shape("b", "c", Direction(delay_ms=20))
        self.lab.play("c", "b", trace.parse("t", "seconds,rate_mbps,delay_ms\n0,8,10\n"))
        self.assertEqual(numbers, (self.port_number("b", "c"), self.port_number("c", "b")))
        # traces are scaled as well
        self.assertEqual(4, self.lab.shaper.read(self.lab.link_device("c", "b")).direction.rate_mbps)
        result = check.measure(self.lab, [link], pings=5, seconds=1)[0]
        assert result.rtt_ms is not None
        self.assertGreater(result.rtt_ms, 29.7)

    def test_down_and_up(self) -> None:
        """a link that is taken away and put back keeps its port numbers and its limits"""
        number = self.port_number("a", "b")
        self.lab.set_link("a", "b", False)
        self.assertNotIn(self.lab.link_device("a", "b"), ovs.vsctl("list-ports", self.lab.bridge("a")))
        self.lab.set_link("a", "b", True)
        self.assertEqual(number, self.port_number("a", "b"))
        self.assertEqual(Direction(20, 5, 200, None), self.lab.shaper.read(self.lab.link_device("a", "b")).direction)

    def test_command_line(self) -> None:
        """`lab link` changes one direction or both, `lab list` shows it"""
        self.command("link", "b", "a", "--delay", "3", "--queue", "50")
        self.command("link", "a", "b", "--loss", "0.25", "--both")
        link = json.loads(self.command("list", "--json"))["labs"][NAME]["links"][0]
        self.assertEqual((["a", "b"], 5, 3), (link["ends"], link["forward"]["delay_ms"], link["reverse"]["delay_ms"]))
        self.assertEqual((200, 50), (link["forward"]["queue_packets"], link["reverse"]["queue_packets"]))
        self.assertEqual((0.25, 0.25), (link["forward"]["loss"], link["reverse"]["loss"]))
        self.command("link", "a", "b", "--trace", "steps")
        self.assertIn("a > b plays one", self.command("traces"))
        for here, there, direction in (("a", "b", Direction(20, 5, 200)), ("b", "a", Direction(10, 10, 200))):
            self.lab.shape(here, there, direction)

    def command(self, *words: str) -> str:
        name = [] if words[0] in ("list", "traces") else ["--name", NAME]
        return run([sys.executable, str(ROOT / "scripts" / "command.py"), "lab", *words, *name])

    def test_punctuality(self) -> None:
        """emulator and switches run before other programs, the emulator first"""
        emulator, switches = self.lab.shaper.pid, ovs.switch_daemon_pid()
        assert emulator is not None
        if os.sched_getscheduler(emulator) != os.SCHED_RR:
            self.skipTest("real-time priorities are not permitted here")
        if not (RUN_DIRECTORY / "ovs").exists():
            self.skipTest("this Open vSwitch is the system's")
        self.assertEqual(os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_getscheduler(switches))
        self.assertGreater(os.sched_getparam(emulator).sched_priority, os.sched_getparam(switches).sched_priority)

    def test_strain(self) -> None:
        """a machine that is too slow for what is asked is noticed: here the emulator does not run for a moment"""
        pid = self.lab.shaper.pid
        assert pid is not None
        self.lab.shape("a", "b", Direction(delay_ms=100))
        meter = SaturationMeter.of(self.lab)
        with check.pinned(self.lab, self.lab.topology.link("a", "b")):
            ping = subprocess.Popen(self.lab.inside("a", ["ping", "-c", "1", "-W", "5", self.lab.topology.nodes["b"].ip]), stdout=subprocess.DEVNULL)
            # it is on its way for 100 ms
            time.sleep(0.05)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.3)
            os.kill(pid, signal.SIGCONT)
            self.assertEqual(0, ping.wait())
        self.lab.shape("a", "b", Direction(20, 5, 200))
        saturation = meter.read()
        self.assertGreater(saturation.latest_ms, 100)
        self.assertRegex("; ".join(saturation.complaints), "came more than 2 ms late")


@pytest.mark.needs("emulator")
class CrashTest(unittest.TestCase):
    def test_down_after_crash(self) -> None:
        """after kill -9 of the emulator, `down` removes all the rest"""
        say(f"\n{type(self).__name__}: {self.shortDescription()}")
        self.addCleanup(instance.down, NAME)
        lab = instance.up(topology.parse("shaped", TOPOLOGY), NAME, owned=True, shaper="emulator")
        pid = lab.shaper.pid
        assert pid is not None
        process = ProcessId.of(pid)
        assert process is not None
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not process.alive(), "the emulator to end", 5)
        self.assertTrue(instance.down(NAME))
        self.assertEqual([], labs.running())
        self.assertFalse(namespaces.device_exists(lab.link_device("a", "b")))
        self.assertFalse(namespaces.exists(lab.namespace("a")))

    def test_down_ends_the_emulator(self) -> None:
        """`down` ends the emulator and its devices also where the program that built the lab has crashed"""
        say(f"\n{type(self).__name__}: {self.shortDescription()}")
        self.addCleanup(instance.down, NAME)
        script = (
            "import os, sys; sys.path.insert(0, sys.argv[1]); from lab import instance; from malob.network import labs, topology; import json;"
            "instance._check_free = lambda lab: None;"
            "instance._unready = lambda lab: os.kill(os.getpid(), 9);"
            "instance.up(topology.parse('shaped', json.loads(sys.argv[2])), sys.argv[3], shaper='emulator')"
        )
        run([sys.executable, "-c", script, str(ROOT / "scripts"), json.dumps(TOPOLOGY), NAME], check=False)
        lab = instance.find(NAME)
        self.assertIsNotNone(lab.shaper.pid)
        self.assertTrue(instance.down(NAME))
        self.assertIsNone(lab.shaper.pid)
        self.assertFalse(namespaces.device_exists(lab.link_device("a", "b")))


@pytest.mark.needs("emulator")
class ChoiceTest(unittest.TestCase):
    def test_netem_that_is_not_there(self) -> None:
        """netem is taken where the kernel has it, and refused where it has not"""
        if namespaces.netem():
            self.assertEqual("netem", choice.choose(None))
        else:
            self.assertEqual("emulator", choice.choose(None))
            with self.assertRaisesRegex(UsageError, "no netem"):
                choice.choose("netem")


if __name__ == "__main__":
    unittest.main()
