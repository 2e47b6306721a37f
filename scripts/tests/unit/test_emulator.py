"""One direction of the link emulator, in a time of its own: its C code, loaded as a library."""

from __future__ import annotations

import ctypes
import tempfile
import unittest
from pathlib import Path

from lab.shaping.emulator import reading
from malob.system.place import ROOT
from malob.system.processes import find_program, run

SOURCE = ROOT / "scripts" / "lab" / "emulator"

US = 1_000
MS = 1_000_000
NEVER = 2**63 - 1

#: 1,000 bytes as the link counts them
FRAME_BYTES = 1014


class Parameters(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("rate_bps", "delay_ns", "queue_packets", "loss_ppm")]


class Counters(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("packets", "bytes", "dropped", "lost", "overflowed", "undelivered", "late", "latest_ns")]


class Head(ctypes.Structure):
    """What the C structure begins with."""

    _fields_ = [("parameters", Parameters), ("counters", Counters)]


@unittest.skipUnless(find_program("cc"), "needs a C compiler")
class DirectionTest(unittest.TestCase):
    library: ctypes.CDLL

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        cls.addClassCleanup(directory.cleanup)
        library = Path(directory.name, "direction.so")
        run(["cc", "-std=c11", "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE / "direction.c")])
        cls.library = ctypes.CDLL(str(library))
        for name, result, arguments in (
            ("new", ctypes.POINTER(Head), [ctypes.c_uint64, ctypes.c_int64]),
            ("free", None, [ctypes.c_void_p]),
            ("set", None, [ctypes.c_void_p, ctypes.POINTER(Parameters), ctypes.c_int64]),
            ("room", ctypes.c_void_p, [ctypes.c_void_p]),
            ("accept", None, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64]),
            ("due", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_size_t)]),
            ("done", None, [ctypes.c_void_p, ctypes.c_int64, ctypes.c_bool]),
            ("next_ns", ctypes.c_int64, [ctypes.c_void_p]),
            ("waiting", ctypes.c_uint32, [ctypes.c_void_p, ctypes.c_int64]),
        ):
            function = getattr(cls.library, f"direction_{name}")
            function.restype, function.argtypes = result, arguments

    def setUp(self) -> None:
        self.direction = self.library.direction_new(1, 0)
        self.addCleanup(self.library.direction_free, self.direction)

    @property
    def counters(self) -> Counters:
        return self.direction.contents.counters

    def set(self, now_ns: int = 0, rate_bps: int = 0, delay_ns: int = 0, queue: int = 100, loss_ppm: int = 0) -> None:
        parameters = Parameters(rate_bps, delay_ns, queue, loss_ppm)
        self.library.direction_set(self.direction, ctypes.byref(parameters), now_ns)

    def accept(self, *times_ns: int, length: int = FRAME_BYTES, mark: int = 0) -> None:
        for time_ns in times_ns:
            ctypes.memset(self.library.direction_room(self.direction), mark, length)
            self.library.direction_accept(self.direction, length, time_ns)

    def deliveries(self) -> list[int]:
        """When everything that is in it comes out."""
        times = []
        length = ctypes.c_size_t()
        while (next_ns := self.library.direction_next_ns(self.direction)) != NEVER:
            if self.library.direction_due(self.direction, next_ns, ctypes.byref(length)):
                self.library.direction_done(self.direction, next_ns, True)
                times.append(next_ns)
        return times

    def test_packet_takes_its_bits_over_the_rate_and_then_the_delay(self) -> None:
        self.set(rate_bps=1_000_000, delay_ns=5 * MS)
        self.accept(0)
        self.assertEqual([8 * MS + 5 * MS], self.deliveries())

    def test_packet_of_a_busy_link_departs_after_the_one_before(self) -> None:
        self.set(rate_bps=8_000_000)
        self.accept(0, 0, 500 * US, 10 * MS)
        self.assertEqual([1 * MS, 2 * MS, 3 * MS, 11 * MS], self.deliveries())

    def test_direction_without_limits_delivers_at_once(self) -> None:
        self.accept(7, 7)
        self.assertEqual([7, 7], self.deliveries())

    def test_ethernet_header_does_not_count(self) -> None:
        self.set(rate_bps=8_000_000)
        self.accept(0, length=1014)
        self.deliveries()
        self.assertEqual((1, 1000), (self.counters.packets, self.counters.bytes))

    def test_vlan_tags_do_not_count(self) -> None:
        self.set(rate_bps=8_000_000)
        for tags in (b"\x81\0\0\x64", b"\x88\xa8\0\1\x81\0\0\x64", b"\x08\0\x81\0"):
            frame = bytes(12) + tags + b"\x08\0" + bytes(1000)
            ctypes.memmove(self.library.direction_room(self.direction), frame, len(frame))
            self.library.direction_accept(self.direction, len(frame), 0)
        # the last has no tag, only something like it in its payload
        self.assertEqual([1 * MS, 2 * MS, 3004 * US], self.deliveries())
        self.assertEqual(3004, self.counters.bytes)

    def test_full_queue_drops_the_last(self) -> None:
        self.set(rate_bps=8_000_000, queue=2)
        self.accept(0, 0, 0, 0)
        self.assertEqual(1, self.counters.dropped)
        self.assertEqual(2, self.library.direction_waiting(self.direction, 0))
        self.assertEqual([1 * MS, 2 * MS, 3 * MS], self.deliveries())

    def test_packets_on_the_wire_do_not_fill_the_queue(self) -> None:
        self.set(rate_bps=8_000_000, delay_ns=100 * MS, queue=1)
        self.accept(*(n * MS for n in range(50)))
        self.assertEqual(0, self.counters.dropped)

    def test_new_rate_holds_for_the_rest_of_the_packet_that_is_being_sent(self) -> None:
        self.set(rate_bps=8_000_000)
        self.accept(0, 0)
        self.set(now_ns=250 * US, rate_bps=16_000_000)
        # three quarters of the first are left, at twice the rate
        self.assertEqual([625 * US, 1125 * US], self.deliveries())

    def test_shorter_delay_lets_nothing_overtake(self) -> None:
        self.set(delay_ns=10 * MS)
        self.accept(0)
        self.set(now_ns=1 * MS, delay_ns=2 * MS)
        self.accept(1 * MS, 9 * MS)
        self.assertEqual([10 * MS, 10 * MS, 11 * MS], self.deliveries())

    def test_handover_is_taken_off_the_delay_as_far_as_there_is_one(self) -> None:
        self.direction = self.library.direction_new(1, 2 * MS)
        self.set(delay_ns=5 * MS)
        self.accept(0)
        self.assertEqual([3 * MS], self.deliveries())
        self.set(now_ns=10 * MS, delay_ns=1 * MS)
        self.accept(10 * MS)
        self.assertEqual([10 * MS], self.deliveries())

    def test_losses_are_as_many_as_asked_for(self) -> None:
        self.set(loss_ppm=100_000)
        for n in range(20_000):
            self.accept(n)
            self.deliveries()
        # five standard deviations
        self.assertAlmostEqual(2_000, self.counters.lost, delta=212)
        self.assertEqual(20_000, self.counters.lost + self.counters.packets)

    def test_memory_is_bounded_and_frames_keep_their_bytes(self) -> None:
        self.set(delay_ns=MS, queue=8192)
        length = ctypes.c_size_t()
        for n in range(9000):
            self.accept(n % 2, mark=n % 251)
        self.assertEqual(9000 - 8192, self.counters.overflowed)
        for n in range(8192):
            frame = self.library.direction_due(self.direction, 2 * MS, ctypes.byref(length))
            self.assertEqual(bytes([n % 251]) * FRAME_BYTES, ctypes.string_at(frame, length.value))
            self.library.direction_done(self.direction, 2 * MS, True)
        self.accept(3 * MS)
        self.assertEqual([4 * MS], self.deliveries())

    def test_lateness_is_counted_from_two_milliseconds_on(self) -> None:
        length = ctypes.c_size_t()
        for late_ns in (1 * MS, 3 * MS):
            self.accept(0)
            self.library.direction_due(self.direction, late_ns, ctypes.byref(length))
            self.library.direction_done(self.direction, late_ns, True)
        self.assertEqual((1, 3 * MS), (self.counters.late, self.counters.latest_ns))


class ReadingTest(unittest.TestCase):
    def test_answer_of_the_emulator_is_read(self) -> None:
        read = reading(
            "rate_bps=10000000 delay_ns=2500000 queue_packets=50 loss_ppm=0 trace=1 packets=3 bytes=1200000 dropped=4"
            " lost=5 overflowed=6 undelivered=0 waiting=7 late=8 latest_ns=9000000"
        )
        self.assertEqual((10, 2.5, 50, None), tuple(vars(read.direction).values()))
        self.assertEqual((True, 3, 1.2, 10, 5, 8, 9), (read.traced, read.packets, read.mbytes, read.dropped, read.lost, read.late, read.latest_ms))


if __name__ == "__main__":
    unittest.main()
