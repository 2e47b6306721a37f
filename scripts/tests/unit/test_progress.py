from __future__ import annotations

import contextlib
import io
import os
import threading
import unittest
from unittest import mock

from malob.system.progress import Bar, Line, Ticker, bar, in_words
from malob.system.waiting import say


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class LineTest(unittest.TestCase):
    def test_is_written_over_and_gone_at_the_end(self) -> None:
        stream = Terminal()
        with Line(stream) as line:
            line.show("one")
            line.show("two")
        self.assertEqual("\r\033[Kone\r\033[Ktwo\r\033[K", stream.getvalue())

    def test_is_cut_to_the_terminal(self) -> None:
        stream = Terminal()
        with mock.patch.dict(os.environ, {"COLUMNS": "10"}), Line(stream) as line:
            line.show("0123456789")
        self.assertEqual("\r\033[K012345678\r\033[K", stream.getvalue())

    def test_is_quiet_elsewhere(self) -> None:
        stream = io.StringIO()
        with Line(stream) as line:
            line.show("one")
        self.assertEqual("", stream.getvalue())

    def test_what_is_said_takes_its_place(self) -> None:
        with contextlib.redirect_stderr(Terminal()) as stream, Line() as line:
            line.show("one")
            say("done")
        self.assertEqual("\r\033[Kone\r\033[Kdone\n\r\033[K", stream.getvalue())

    def test_what_is_said_is_plain_where_nothing_is_in_its_way(self) -> None:
        with contextlib.redirect_stderr(Terminal()) as stream:
            say("done")
        self.assertEqual("done\n", stream.getvalue())


class TickerTest(unittest.TestCase):
    def test_shows_what_has_changed_by_itself(self) -> None:
        texts = iter(["", "a", "b"])
        shown_all = threading.Event()

        def text() -> str:
            following = next(texts, "c")
            if following == "c":
                shown_all.set()
            return following

        stream = Terminal()
        with Ticker(text, stream, tick_s=0.01):
            self.assertTrue(shown_all.wait(30))
        self.assertTrue(stream.getvalue().startswith("\r\033[Ka\r\033[Kb\r\033[K"), repr(stream.getvalue()))
        self.assertTrue(stream.getvalue().endswith("\r\033[K"))

    def test_has_no_thread_where_nobody_looks(self) -> None:
        before = threading.active_count()
        with Ticker(lambda: "a", io.StringIO()):
            self.assertEqual(before, threading.active_count())


class BarTest(unittest.TestCase):
    def test_time_left_is_that_of_the_parts_so_far_and_passes(self) -> None:
        now = [100.0]
        stream = Terminal()
        with Bar(4, stream, lambda: now[0]) as shown:
            shown.begin("one")
            now[0] += 30
            shown.begin("two")
            self.assertEqual("[######..................] 1 of 4, about 1 min 30 s left; two", shown._words())
            now[0] += 10
            self.assertIn("about 1 min 20 s left", shown._words())
            now[0] += 100
            self.assertIn("about 1 min 00 s left", shown._words())
        self.assertTrue(stream.getvalue().startswith("\r\033[K[........................] 0 of 4; one"))

    def test_bar_is_never_longer_than_whole(self) -> None:
        self.assertEqual("[" + "#" * 24 + "] x", bar(5, 4, "x"))

    def test_time_in_words(self) -> None:
        for seconds, words in ((0.4, "0 s"), (59.4, "59 s"), (60, "1 min 00 s"), (200, "3 min 20 s"), (3900, "1 h 05 min")):
            with self.subTest(seconds=seconds):
                self.assertEqual(words, in_words(seconds))


if __name__ == "__main__":
    unittest.main()
