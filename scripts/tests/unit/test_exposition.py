"""The reader of Prometheus's text format accepts valid input and rejects all else."""

from __future__ import annotations

import unittest

from tests import exposition

_RIGHT = """\
# HELP jobs_total Jobs
# TYPE jobs_total counter
jobs_total{kind="a",why="x \\"y\\""} 3.0
jobs_total{kind="b"} 1.0
# HELP wait_seconds Wait
# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.1"} 1
wait_seconds_bucket{le="+Inf"} 2
wait_seconds_count 2
wait_seconds_sum 0.5
"""


class ExpositionTest(unittest.TestCase):
    def test_right_text_is_read(self) -> None:
        families = exposition.read(_RIGHT)
        self.assertEqual(4, exposition.value(families, "jobs_total"))
        self.assertEqual(3, exposition.value(families, "jobs_total", kind="a"))
        self.assertEqual(0, exposition.value(families, "jobs_total", kind="c"))
        self.assertEqual(2, exposition.value(families, "wait_seconds_count"))

    def test_wrong_text_is_refused(self) -> None:
        for wrong in (
            _RIGHT.rstrip("\n"),
            _RIGHT + "jobs_total 1\n",
            _RIGHT.replace('kind="b"', 'kind="a",why="x \\"y\\""'),
            _RIGHT.replace('kind="b"', "kind=b"),
            _RIGHT.replace("counter", "count"),
            _RIGHT.replace(" 1.0", " -1.0"),
            _RIGHT.replace('"+Inf"} 2', '"+Inf"} 0'),
            _RIGHT.replace("count 2", "count 3"),
            _RIGHT.replace(" 3.0", " three"),
            _RIGHT + "# TYPE jobs_total counter\n",
        ):
            with self.subTest(wrong), self.assertRaises(ValueError):
                exposition.read(wrong)


if __name__ == "__main__":
    unittest.main()
