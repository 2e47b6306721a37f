from __future__ import annotations

import io
import unittest

from lab.demo import screen
from lab.demo.tally import Tally, median_ms
from malob.rest.client import RestClient, Target


def _tally() -> Tally:
    tally = Tally(["w1", "w2"])
    for ms in (1.0, 3.0, 2.0):
        tally.add("c1", {"server": "w1", "ms": ms})
    tally.add("c2", {"server": "w2", "ms": 8.0})
    return tally


class TallyTest(unittest.TestCase):
    def test_counts_by_server(self) -> None:
        self.assertEqual({"w1": {"requests": 3, "median_ms": 2.0}, "w2": {"requests": 1, "median_ms": 8.0}}, _tally().to_json()["servers"])

    def test_is_good_when_all_succeeded_and_every_server_was_used(self) -> None:
        self.assertTrue(_tally().good)

    def test_is_not_good_with_a_failure(self) -> None:
        tally = _tally()
        tally.add("c1", {"error": "refused", "ms": 1.0})
        self.assertEqual((5, 1), (tally.requests, tally.failed))
        self.assertFalse(tally.good)

    def test_is_not_good_without_requests_or_with_an_idle_server(self) -> None:
        self.assertFalse(Tally([]).good)
        tally = Tally(["w1", "w2"])
        tally.add("c1", {"server": "w1", "ms": 1})
        self.assertEqual(["w2"], tally.unused)
        self.assertFalse(tally.good)

    def test_answer_of_a_stranger_is_a_failure(self) -> None:
        tally = _tally()
        tally.add("c1", {"server": "w9", "ms": 1.0})
        self.assertEqual({"answered by 'w9'": 1}, tally.to_json()["failures"])

    def test_no_requests_have_no_median(self) -> None:
        self.assertIsNone(median_ms([]))


class ViewTest(unittest.TestCase):
    def test_table_has_a_row_for_each_server_and_each_path(self) -> None:
        lines = screen.table(_tally(), {"w1": 2}, {("c1", "w1"): ["s1", "s3"], ("c2", "w2"): ["s2"]})
        self.assertEqual(
            [
                ["w1", "3", "2", "2.0", "2.9"],
                ["c1", "by", "s1", "s3", "3", "2.0", "2.9"],
                ["w2", "1", "?", "8.0", "8.0"],
                ["c2", "by", "s2", "1", "8.0", "8.0"],
            ],
            [line.split() for line in lines[1:]],
        )

    def test_without_terminal_nothing_is_redrawn(self) -> None:
        out = io.StringIO()
        live = screen.LiveView(out)
        live.show(_tally(), {}, {}, 3)
        live.finish(["done"])
        self.assertEqual("done\n", out.getvalue())

    def test_summary_names_servers_that_were_not_used(self) -> None:
        tally = Tally(["w1", "w2"])
        tally.add("c1", {"server": "w1", "ms": 1})
        self.assertIn("not used: w2", screen.summary(tally, 1, "10.0.0.100"))


class CurlLineTest(unittest.TestCase):
    def test_can_be_pasted_into_a_shell(self) -> None:
        rest = RestClient(Target("http", "127.0.0.1", 8080))
        self.assertEqual(
            """curl -d '{"id": "1"}' http://127.0.0.1:8080/quantum/v1.0/vips/""", rest.curl_line("POST", "/quantum/v1.0/vips/", {"id": "1"})
        )
        self.assertEqual("curl -X DELETE http://127.0.0.1:8080/x", rest.curl_line("DELETE", "/x"))


if __name__ == "__main__":
    unittest.main()
