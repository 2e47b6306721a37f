from __future__ import annotations

import re
import socket
import tempfile
import time
import unittest
from pathlib import Path

from lab.control import Relay, delays_from, parse_delays
from malob.errors import UsageError
from malob.network import topology
from malob.system.processes import ProcessId


class DelaysTest(unittest.TestCase):
    def test_one_for_all_and_others_for_some(self) -> None:
        mesh = topology.load("mesh5")
        self.assertEqual({}, parse_delays([], mesh))
        self.assertEqual({"s2": 2.5}, parse_delays(["s2=2.5"], mesh))
        self.assertEqual({"s1": 20, "s3": 20, "s4": 20, "s5": 100}, parse_delays(["s5=100", "20", "s2=0"], mesh))

    def test_mistakes_are_named(self) -> None:
        mistakes = {
            ("x",): "--control-delay x: expected milliseconds, not 'x'",
            ("s9=1",): "--control-delay s9=1: topology 'mesh5' has no switch 's9'",
            ("s1=",): "expected milliseconds, not ''",
            ("-1",): "--control-delay -1: expected milliseconds",
            ("nan",): "--control-delay nan: expected milliseconds",
            ("1", "2"): "--control-delay 2: given twice",
            ("s1=1", "s1=1"): "--control-delay s1=1: given twice",
        }
        for words, expected in mistakes.items():
            with self.subTest(words=words), self.assertRaisesRegex(UsageError, re.escape(expected)):
                parse_delays(words, topology.load("mesh5"))


class SiteTest(unittest.TestCase):
    """Where the controller is decides on the delays of its channels."""

    def test_channels_have_the_delays_of_the_fastest_paths(self) -> None:
        delays_ms = delays_from("client-1", topology.load("geni-wan"))
        self.assertEqual(8, len(delays_ms), "not its own site's")
        self.assertEqual((21.0, 36.0), (delays_ms["kansas"], delays_ms["server-3"]))

    def test_links_without_delay_add_none(self) -> None:
        self.assertEqual({}, delays_from("s1", topology.load("mesh5")))

    def test_unknown_site_is_refused(self) -> None:
        with self.assertRaisesRegex(UsageError, "--controller-at: topology 'mesh5' has no switch 's9', but s1, s2"):
            delays_from("s9", topology.load("mesh5"))


class RelayTest(unittest.TestCase):
    """A relay between sockets of ours: no switch, no root."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.controller = socket.create_server(("127.0.0.1", 0))
        self.controller.settimeout(10)
        self.addCleanup(self.controller.close)
        self.endpoint = f"127.0.0.1:{self.controller.getsockname()[1]}"
        self.log = Path(directory.name, "relay.log")

    def relay(self, delay_ms: float) -> Relay:
        relay = Relay(self.endpoint, {"s1": delay_ms}, self.log)
        process = ProcessId.of(relay.pid)
        assert process is not None
        self.addCleanup(relay.wait)
        self.addCleanup(process.end)
        relay.go()
        return relay

    def connect(self, relay: Relay) -> socket.socket:
        host, _, port = relay.endpoints["s1"].rpartition(":")
        switch = socket.create_connection((host, int(port)), timeout=10)
        self.addCleanup(switch.close)
        return switch

    def accept(self) -> socket.socket:
        connection, _ = self.controller.accept()
        connection.settimeout(10)
        self.addCleanup(connection.close)
        return connection

    def test_carries_both_directions_in_order(self) -> None:
        switch = self.connect(self.relay(1))
        controller = self.accept()
        sent = bytes(range(256)) * 1000
        for source, target in ((switch, controller), (controller, switch)):
            source.sendall(sent)
            self.assertEqual(sent, _received(target, len(sent)))

    def test_nothing_arrives_before_its_time(self) -> None:
        began = time.monotonic()
        switch = self.connect(self.relay(50))
        controller = self.accept()
        self.assertGreaterEqual(time.monotonic() - began, 0.1)
        for _ in range(3):
            began = time.monotonic()
            switch.sendall(b"?")
            _received(controller, 1)
            self.assertGreaterEqual(time.monotonic() - began, 0.05)
            controller.sendall(b"!")
            _received(switch, 1)
            self.assertGreaterEqual(time.monotonic() - began, 0.1)

    def test_last_words_arrive_before_the_end(self) -> None:
        switch = self.connect(self.relay(5))
        controller = self.accept()
        switch.sendall(b"farewell")
        switch.close()
        self.assertEqual(b"farewell", _received(controller, 100))

    def test_switch_is_cut_off_where_no_controller_listens(self) -> None:
        relay = self.relay(1)
        self.controller.close()
        self.assertEqual(b"", _received(self.connect(relay), 1))
        self.assertEqual(b"", _received(self.connect(relay), 1))

    def test_sender_waits_for_a_controller_that_does_not_read(self) -> None:
        switch = self.connect(self.relay(0.1))
        controller = self.accept()
        switch.settimeout(1)
        sent = 0
        with self.assertRaises(socket.timeout):
            # the kernel's own buffers have bounds, too
            while sent < 1 << 28:
                sent += switch.send(b"x" * 65536)
        self.assertEqual(sent, len(_received(controller, sent)))

    def test_ends_with_its_maker_until_it_is_told_to_go(self) -> None:
        relay = Relay(self.endpoint, {"s1": 1}, self.log)
        process = ProcessId.of(relay.pid)
        assert process is not None
        self.addCleanup(process.end)
        relay.abandon()
        self.assertFalse(process.alive())


def _received(source: socket.socket, count: int) -> bytes:
    """Reads count bytes, or fewer if the connection ends before."""
    data = bytearray()
    while len(data) < count:
        try:
            part = source.recv(min(1 << 20, count - len(data)))
        except ConnectionResetError:
            break
        if not part:
            break
        data += part
    return bytes(data)


if __name__ == "__main__":
    unittest.main()
