"""`bench soak`: events from a seed, what explains failures, what both sides hold, what grows."""

from __future__ import annotations

import contextlib
import io
import unittest
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from malob.errors import UsageError
from malob.network import topology
from research.bench.soak import controller_log, events, findings, model, run, watch
from research.bench.soak.events import Targets
from research.bench.soak.findings import Record
from research.bench.soak.model import Failure, Fault

TARGETS = Targets.of(topology.load("mesh5"))
NEVER = float("inf")


class EventsTest(unittest.TestCase):
    def test_same_seed_gives_same_events(self) -> None:
        self.assertEqual(events.draw(7, 300, TARGETS), events.draw(7, 300, TARGETS))
        self.assertNotEqual(events.draw(7, 300, TARGETS), events.draw(8, 300, TARGETS))

    def test_what_begins_ends_within_the_run_and_not_before(self) -> None:
        for seed in range(6):
            drawn = events.draw(seed, 120, TARGETS)
            self.assertEqual(drawn, sorted(drawn, key=lambda event: event.at_s))
            self.assertTrue(all(0 < event.at_s <= 120 for event in drawn))
            going_on: set[tuple[str, str]] = set()
            ends = {kind.end: name for name, kind in events.KINDS.items() if kind.end}
            for event in drawn:
                if event.kind in ends:
                    going_on.remove((ends[event.kind], event.target))
                elif events.KINDS[event.kind].end:
                    self.assertNotIn((event.kind, event.target), going_on)
                    going_on.add((event.kind, event.target))
            self.assertEqual(set(), going_on)

    def test_every_kind_happens(self) -> None:
        self.assertEqual(set(events.KINDS), {event.kind for event in events.draw(1, 3600, TARGETS)} & set(events.KINDS))

    def test_chosen_kinds_happen_alone(self) -> None:
        self.assertEqual({"unlink", "link"}, {event.kind for event in events.draw(1, 300, TARGETS, ["unlink"])})

    def test_there_is_always_a_way_and_a_server_of_each_pool(self) -> None:
        for seed in range(6):
            gone: set[str] = set()
            for event in events.draw(seed, 600, TARGETS):
                if event.kind in events.KINDS and events.KINDS[event.kind].end:
                    gone.add(event.target)
                else:
                    gone.discard(event.target)
                self.assertTrue(TARGETS.connected_without(gone), gone)
                for service in TARGETS.services:
                    serving = [each for each in TARGETS.servers if each not in gone and service.member(each) not in gone]
                    self.assertTrue(serving, f"{service.key} at {event}")

    def test_nobody_asks_a_controller_that_is_away(self) -> None:
        by_rest = {"weight", "drain", "undrain", "remove", "add", "disable", "enable"}
        crashes = 0
        for seed in range(6):
            away, back_at_s = False, -NEVER
            for event in events.draw(seed, 600, TARGETS):
                if event.target == "controller":
                    away = not away
                    crashes += event.kind == "crash"
                    back_at_s = event.at_s
                elif event.kind in by_rest:
                    self.assertFalse(away, event)
                    self.assertGreater(event.at_s, back_at_s + events.RECOVERY_S * 0.99, event)
        self.assertGreater(crashes, 0)

    def test_a_chain_loses_no_link(self) -> None:
        chain = replace(TARGETS, switches=("a", "b", "c"), links=("a-b", "b-c"))
        self.assertTrue(chain.connected_without([]))
        self.assertFalse(chain.connected_without(["b-c"]))


def failure(outcome: str, **changed: Any) -> Failure:
    """One of a connection to w1 through the service "least" that was well at 100 s and failed at 101 s."""
    told = {
        "began": 90.0,
        "accepted": 90.1,
        "progress": 100.0,
        "ended": 101.0,
        "server": "w1",
        "outcome": outcome,
        "vip": "10.0.0.100:80",
        "requests": 1,
        **changed,
    }
    return Failure.of("c1", "least", told)


class ModelTest(unittest.TestCase):
    def explained(self, found: Failure, *faults: Fault) -> bool:
        return model.explain(found, faults) is not None

    def test_without_a_fault_nothing_explains_a_failure(self) -> None:
        self.assertFalse(self.explained(failure("reset")))

    def test_drains_weights_and_links_explain_nothing(self) -> None:
        for kind, target in (("drain", "least-w1"), ("weight", "least-w1"), ("unlink", "s1-s3")):
            self.assertFalse(self.explained(failure("reset"), Fault(kind, target, 100.5, NEVER)), kind)

    def test_removed_member_explains_resets_of_its_own_connections_at_that_time(self) -> None:
        self.assertTrue(self.explained(failure("reset"), Fault("remove", "least-w1", 100.5, NEVER)))
        for kind, target, begin in (
            ("remove", "least-w2", 100.5),
            ("remove", "turns-w1", 100.5),
            ("remove", "least-w1", 101.5),
            ("remove", "least-w1", 97.0),
        ):
            self.assertFalse(self.explained(failure("reset"), Fault(kind, target, begin, NEVER)), f"{target} at {begin}")

    def test_reset_in_a_pause_is_explained_when_the_client_learns_it_later(self) -> None:
        self.assertTrue(self.explained(failure("reset", ended=120.0), Fault("remove", "least-w1", 105.0, 110.0)))

    def test_removed_member_does_not_explain_silence_or_wrong_bytes(self) -> None:
        for outcome in ("timeout", "mixed", "corrupt"):
            self.assertFalse(self.explained(failure(outcome), Fault("remove", "least-w1", 100.5, NEVER)), outcome)

    def test_killed_server_explains_refusals_until_it_must_have_been_noticed(self) -> None:
        refused = failure("refused", accepted=None, server=None, requests=0)
        self.assertTrue(self.explained(refused, Fault("kill", "w2", 99.0, NEVER)))
        self.assertFalse(self.explained(refused, Fault("kill", "w2", 99.0 - model.DETECTION_S, NEVER)))

    def test_killed_server_explains_no_reset_by_another(self) -> None:
        self.assertTrue(self.explained(failure("reset"), Fault("kill", "w1", 100.5, NEVER)))
        self.assertFalse(self.explained(failure("reset"), Fault("kill", "w2", 100.5, NEVER)))

    def test_silent_link_may_keep_a_servers_end_from_clients(self) -> None:
        late = failure("closed")
        killed = Fault("kill", "w1", 101.0 - model.CLOSING_S - 8.0, NEVER)
        self.assertFalse(self.explained(late, killed))
        self.assertTrue(self.explained(late, killed, Fault("mute", "s1-s2", killed.begin, killed.begin + 6.0)))

    def test_silent_link_that_came_back_just_before_a_servers_end_still_delays_what_it_sent(self) -> None:
        late = failure("closed")
        killed = Fault("kill", "w1", 101.0 - model.CLOSING_S - 8.0, NEVER)
        self.assertTrue(self.explained(late, killed, Fault("mute", "s1-s2", killed.begin - 9.0, killed.begin - 1.0)))
        self.assertFalse(self.explained(late, killed, Fault("mute", "s1-s2", killed.begin - 60.0, killed.begin - 40.0)))

    def test_broken_link_keeps_a_servers_end_from_clients_only_while_the_controller_is_away(self) -> None:
        late = failure("closed")
        killed = Fault("kill", "w1", 101.0 - model.CLOSING_S - 8.0, NEVER)
        broken = Fault("unlink", "s4-s5", killed.begin, killed.begin + 6.0)
        pause = Fault("pause", "controller", killed.begin - 1.0, killed.begin + 8.0)
        self.assertFalse(self.explained(late, killed, broken))
        self.assertFalse(self.explained(late, killed, pause))
        self.assertTrue(self.explained(late, killed, broken, pause))

    def test_silent_link_explains_a_reset_only_where_the_handshake_outlived_its_rule(self) -> None:
        mute = Fault("mute", "s1-s2", 85.0, 97.0)
        self.assertTrue(self.explained(failure("reset", server=None, accepted=97.5), mute))
        self.assertFalse(self.explained(failure("reset", server=None, accepted=90.1), mute))
        self.assertFalse(self.explained(failure("reset", accepted=97.5), mute))

    def test_nobody_notices_a_killed_server_while_the_controller_is_away(self) -> None:
        refused = failure("refused", accepted=None, server=None, requests=0)
        killed = Fault("kill", "w2", 85.0, NEVER)
        self.assertFalse(self.explained(refused, killed))
        self.assertTrue(self.explained(refused, killed, Fault("pause", "controller", 88.0, 98.0)))

    def test_member_is_taken_down_for_a_reason_only_while_its_server_is_away(self) -> None:
        killed = Fault("kill", "w1", 100.0, 120.0)
        self.assertTrue(model.is_due(Fault(model.DOWN, "least-w1", 107.0, 107.0), [killed]))
        self.assertFalse(model.is_due(Fault(model.DOWN, "least-w2", 107.0, 107.0), [killed]))
        self.assertFalse(model.is_due(Fault(model.DOWN, "least-w1", 99.0, 99.0), [killed]))
        self.assertFalse(model.is_due(Fault(model.DOWN, "least-w1", 130.0, 130.0), [killed]))

    def test_ended_controller_explains_the_reset_of_what_slept(self) -> None:
        crash = Fault("crash", "controller", 104.0, 109.0)
        self.assertTrue(self.explained(failure("reset", asked=110.0, ended=110.1), crash))
        self.assertFalse(self.explained(failure("reset", asked=102.0, ended=110.1), crash), "its rules were there")

    def test_ended_controller_explains_the_reset_of_what_a_silent_link_kept_from_it(self) -> None:
        crash = Fault("crash", "controller", 104.0, 109.0)
        late = failure("reset", asked=102.0, ended=110.1)
        self.assertTrue(self.explained(late, crash, Fault("mute", "s1-s2", 100.5, 103.0)))
        self.assertFalse(self.explained(late, crash, Fault("mute", "s1-s2", 90.0, 99.0)), "over before")


class SaidTest(unittest.TestCase):
    def test_lines_have_their_moments_over_midnight_too(self) -> None:
        lines = ["23:59:59.500 INFO  A: a b=1", "\tat somewhere", "00:00:01.250 INFO  A: c d=2"]
        self.assertEqual([(99.5, lines[0]), (101.25, lines[2])], controller_log.moments(lines, 100, 86_400))

    def test_members_that_were_taken_down_are_found(self) -> None:
        line = "10:45:51.336 WARN  Housekeeping: member_down member=turns-w2 address=10.0.0.12 monitor=turns - it gets no new connections"
        self.assertEqual([Fault("down", "turns-w2", 7.0, 7.0)], controller_log.downs([(6.0, "no"), (7.0, line)]))

    def test_errors_and_stacks_are_found(self) -> None:
        lines = ["23:59:59.500 ERROR A: a", "java.lang.IllegalStateException: no", "23:59:59.500 WARN  A: a error=ERRORS", "\tat a.Error"]
        self.assertEqual(lines[:2], controller_log.errors(lines))


class RejectsTest(unittest.TestCase):
    def test_counts_that_are_higher_are_told(self) -> None:
        self.assertEqual({"no path": 2, "no member": 1}, watch.added({"no path": 1, "busy": 4}, {"no path": 3, "busy": 4, "no member": 1}))

    def test_counts_of_another_controller_are_told_whole(self) -> None:
        self.assertEqual({"no path": 1}, watch.added({"no path": 5, "busy": 4}, {"no path": 1, "busy": 0}))


class TrendTest(unittest.TestCase):
    @staticmethod
    def line(slope: float, count: int = 20) -> list[tuple[float, float]]:
        return [(10.0 * number, 50 + slope * 10 * number) for number in range(count)]

    def test_slope_makes_growth_over_the_time(self) -> None:
        found = findings.trend(self.line(0.1))
        assert found is not None
        self.assertAlmostEqual(19.0, found.grown)
        self.assertEqual(190, found.seconds)
        self.assertFalse(found.flat(0.1, 3))
        self.assertTrue(found.flat(0.1, 20))

    def test_single_outliers_do_not_make_a_slope(self) -> None:
        samples = self.line(0)
        samples[-1] = (samples[-1][0], 500.0)
        found = findings.trend(samples)
        assert found is not None
        self.assertEqual(0, found.grown)

    def test_few_samples_tell_nothing(self) -> None:
        self.assertIsNone(findings.trend(self.line(1, 4)))
        self.assertIsNone(findings.trend([]))


def record(**changed: Any) -> Record:
    usual: dict[str, Any] = {
        "seed": 3,
        "begin": 0.0,
        "seconds": 300.0,
        "late_s": 0.0,
        "faults": [],
        "outcomes": Counter(ok=10),
        "failures": [],
        "connect_ms": [1.0, 2.0],
        "bytes": 3_000_000,
        "rest_ms": [4.0],
        "samples": {"threads": TrendTest.line(0, 30)},
        "compared": 2,
    }
    return Record(**{**usual, **changed})


class FindingsTest(unittest.TestCase):
    @staticmethod
    def sentences(found: dict[str, Any]) -> Sequence[str]:
        return [each["sentence"] for each in found["violations"]]

    def test_run_in_which_all_holds_is_ok(self) -> None:
        found = findings.document(record())
        self.assertTrue(found["ok"], found)
        self.assertEqual("the model holds", findings.text(found)[-1])

    def test_failure_for_a_reason_is_counted_by_it(self) -> None:
        found = findings.document(record(failures=[failure("reset")], faults=[Fault("kill", "w1", 100.5, 110)]))
        self.assertTrue(found["ok"], found)
        self.assertEqual({"kill": 1}, found["connections"]["failed_for_a_reason"])

    def test_failure_without_a_cause_is_told_with_what_went_on(self) -> None:
        found = findings.document(
            record(failures=[failure("reset", port=40000)], faults=[Fault("drain", "least-w1", 95.0, NEVER), Fault("unlink", "s1-s3", 40.0, 50.0)])
        )
        self.assertFalse(found["ok"])
        self.assertIn(
            "c1:40000 > 10.0.0.100:80 (accepted, server w1, 1 answers, well until 100.0 s): reset, without a cause", self.sentences(found)[0]
        )
        self.assertEqual(("drain least-w1 from 95.0 s",), found["violations"][0]["detail"])
        self.assertIn("--seed 3", findings.text(found)[-1])

    def test_member_that_is_taken_down_for_no_reason_is_one_violation_however_many_connections_it_ends(self) -> None:
        found = findings.document(record(failures=[failure("reset")] * 3, faults=[Fault(model.DOWN, "least-w1", 100.5, 100.5)]))
        self.assertEqual(["member least-w1 was taken down by its checks although its server served"], self.sentences(found))
        self.assertEqual({"down": 3}, found["connections"]["failed_for_a_reason"])

    def test_slow_rest_is_a_violation(self) -> None:
        found = findings.document(record(rest_ms=[1.0] * 98 + [60.0] * 2))
        self.assertEqual(["REST: p99 is 60.0 ms, above 50 ms"], self.sentences(found))

    def test_figure_that_grows_is_a_violation_and_a_new_controller_starts_anew(self) -> None:
        growing = {"threads": [(10.0 * n, 40.0 + n) for n in range(30)]}
        self.assertEqual(1, len(self.sentences(findings.document(record(samples=growing)))))
        steps = {"threads": [(10.0 * n, 40.0 + 9 * (n >= 15)) for n in range(30)]}
        crash = Fault("crash", "controller", 145.0, 150.0)
        self.assertEqual([], self.sentences(findings.document(record(samples=steps, faults=[crash]))))


class CommandTest(unittest.TestCase):
    def test_wrong_options_are_refused_by_name(self) -> None:
        with self.assertRaisesRegex(UsageError, "--only"):
            run.SoakCommand().main(["--only", "flood"])
        for words in (["--minutes", "0"], ["--seconds", "x"], ["--minutes", "1", "--seconds", "1"]):
            with self.subTest(words=words), contextlib.redirect_stderr(io.StringIO()) as controller_log:
                self.assertRaises(SystemExit, run.SoakCommand().main, words)
                self.assertIn(words[0], controller_log.getvalue())


if __name__ == "__main__":
    unittest.main()
