"""Programs on hosts that take orders and report line by line."""

from __future__ import annotations

import sys
import unittest

from lab.program import Program
from malob.errors import ScriptError

_ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


class ProgramTest(unittest.TestCase):
    def program(self, text: str = _ECHO) -> Program:
        started = Program([sys.executable, "-I", "-c", text], "the echo has ended")
        self.addCleanup(started.kill)
        return started

    def test_orders_and_answers_are_lines_of_json(self) -> None:
        echo = self.program()
        echo.say({"begin": 1.5})
        self.assertEqual({"begin": 1.5}, echo.answer())

    def test_early_end_is_an_error(self) -> None:
        with self.assertRaisesRegex(ScriptError, "the echo has ended"):
            self.program("").line()

    def test_lines_are_followed_to_the_end(self) -> None:
        echo, lines = self.program(), list[str]()
        reader = echo.follow(lines.append, lambda: lines.append("end"))
        echo.say(1)
        echo.say(2)
        echo.close_input()
        reader.join(10)
        self.assertEqual(["1\n", "2\n", "end"], lines)

    def test_it_may_be_ended_repeatedly(self) -> None:
        for end in (Program.end, Program.kill):
            echo = self.program()
            echo.follow(lambda line: None)
            end(echo)
            end(echo)
            with self.assertRaises(ValueError):
                echo.say(1)


if __name__ == "__main__":
    unittest.main()
