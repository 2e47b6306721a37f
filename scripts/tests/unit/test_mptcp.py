from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from malob.cli import doctor
from malob.cli.mptcp import hosting, planner, question
from malob.cli.mptcp.__main__ import lines, main, status_lines
from malob.errors import MissingError, ScriptError, UsageError
from malob.network import topology
from malob.system import namespaces
from tests.unit.answering import answering_all

_PLAN: dict[str, Any] = {
    "method": "balanced",
    "paths_kind": "hamiltonian",
    "vlan": True,
    "count": "whole",
    "weights": "none",
    "seed": 1,
    "maximum": 80,
    "minimum": 1,
    "spread": 79,
    "deviation": 0.5345,
    "proven_optimal": True,
    "proof": "No less can be.",
    "links": [
        {"a": "s1", "a_port": 3, "b": "s4", "b_port": 1, "subflows": 80},
        {"a": "00:00:00:00:00:00:00:02", "a_port": 3, "b": "00:00:00:00:00:00:01:10", "b_port": 2, "subflows": 1},
    ],
    "paths": [
        {
            "host": "h1",
            "address": "10.0.0.1",
            "ingress": "s1",
            "port": 5,
            "vlan": 100,
            "kind": "hamiltonian",
            "reason": "found",
            "switches": ["s1", "s2", "s4"],
            "branches": [["s1", "s2", "s4"]],
        },
        {
            "host": "h2",
            "address": "10.0.2.1",
            "ingress": "s1",
            "port": 4,
            "vlan": None,
            "kind": "tree",
            "reason": "there is none",
            "switches": ["s1", "s2"],
            "branches": [["s1", "s2"], ["s1", "s3"]],
        },
    ],
    "hosts": [
        {
            "id": "h1",
            "switch": "s1",
            "port": 1,
            "vlan": 100,
            "tagged_by": "switch",
            "address": "10.0.0.1",
            "addresses": [{"address": "10.0.0.1", "port": 5, "to": "s2"}],
            "merged_ports": [7, 8],
            "commands": ["ip mptcp limits set subflow 8 add_addr_accepted 8", "ip addr replace 10.0.0.11/32 dev eth0"],
        },
        {
            "id": "other",
            "switch": "s9",
            "port": 1,
            "vlan": None,
            "tagged_by": None,
            "address": "10.9.9.9",
            "addresses": [],
            "merged_ports": [],
            "commands": ["ip addr replace 10.9.9.8/32 dev eth0"],
        },
    ],
    "rules": {"total": 12, "switches": [{"switch": "s1", "ingress": 2, "labels": 3, "labels_bound": 4, "destinations": 5, "diversions": 1}]},
    "notes": ["first", "second"],
}


class QuestionTest(unittest.TestCase):
    def test_network_is_told_with_ports_and_rates(self) -> None:
        told = question.offline(topology.load("mptcp-1"))["network"]
        self.assertEqual("00:00:00:00:00:00:00:05", told["switches"]["s5"])
        self.assertEqual(7, len(told["links"]))
        self.assertEqual({"a": "s1", "a_port": 3, "b": "s4", "b_port": 3, "mbps": 10}, told["links"][0])

    def test_slower_direction_is_the_rate_and_no_rate_is_none(self) -> None:
        switches = {name: f"00:00:00:00:00:00:00:0{n}" for n, name in enumerate("abc")}
        links = [{"ends": ["a", "b"], "rate_mbps": [9, 3]}, ["b", "c"]]
        network = topology.parse("t", {"switches": switches, "hosts": {}, "links": links})
        told = question.offline(network)
        self.assertEqual([3, None], [link.get("mbps") for link in told["network"]["links"]])
        # the planner supposes some
        self.assertNotIn("hosts", told)

    def test_hosts_are_told_with_place_and_vlan(self) -> None:
        self.assertEqual(
            {
                "id": "h8",
                "address": "10.0.2.4/24",
                "mac": "02:00:0a:00:02:04",
                "switch": "00:00:00:00:00:00:00:04",
                "port": 2,
                "device": "eth0",
                "vlan": 105,
                "tagged_by": "switch",
            },
            question.hosts(topology.load("mptcp-1"))[-1],
        )
        self.assertNotIn("vlan", question.hosts(topology.load("fat-tree:4"))[0])

    def test_hosts_of_ipv6_are_told_by_their_ipv6_addresses(self) -> None:
        network = topology.load("mptcp-1")
        self.assertEqual("fd00:a00:200::a00:204/64", question.hosts(network, ipv6=True)[-1]["address"])
        self.assertEqual("fd00:a00::a00:1/64", question.offline(network, ipv6=True)["hosts"][0]["address"])

    def test_settings_are_told_as_they_were_given(self) -> None:
        self.assertEqual({"vlan": False, "weights": "none", "seed": 1, "count": "whole"}, self._settings())
        self.assertEqual(
            {
                "method": "paper",
                "paths": "disjoint",
                "vlan": True,
                "weights": "capacity",
                "seed": 7,
                "count": "travelled",
                "vlans": [105],
                "traffic": [{"from": "h1", "to": "h3", "weight": 1}, {"from": "h1", "to": "h5", "weight": 0.5}],
            },
            self._settings(
                "--method",
                "paper",
                "--paths",
                "disjoint",
                "--vlan",
                "--weights",
                "capacity",
                "--seed",
                "7",
                "--only-vlan",
                "105",
                "--traffic",
                "h1:h3",
                "--traffic",
                "h1:h5:0.5",
            ),
        )
        self.assertEqual("travelled", self._settings("--count", "travelled")["count"])
        self.assertEqual("ipv6", self._settings("--ipv6")["family"])
        self.assertEqual(2, self._settings("--max-detour", "2")["max_detour"])

    def test_traffic_that_nobody_would_count_is_wrong_use(self) -> None:
        with self.assertRaisesRegex(UsageError, "--traffic"):
            self._settings("--count", "whole", "--traffic", "h1:h3")

    def test_wrong_traffic_is_named(self) -> None:
        for text in ("h1", "h1:", ":h1", "h1:h3:0", "h1:h3:x", "h1:h3:inf", "h1:h3:1:2"):
            with self.subTest(text=text), self.assertRaisesRegex(argparse.ArgumentTypeError, f"not '{text}'"):
                question.pair(text)

    def test_file_of_hosts_is_a_list_or_has_one(self) -> None:
        hosts = [{"id": "a", "address": "10.0.0.1"}]
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "hosts.json")
            for text in (json.dumps(hosts), json.dumps({"hosts": hosts})):
                path.write_text(text)
                self.assertEqual(hosts, question.read_hosts(path))
            for text, words in (("{}", "array of hosts"), ("[", "not JSON")):
                path.write_text(text)
                with self.subTest(text=text), self.assertRaisesRegex(UsageError, words):
                    question.read_hosts(path)
            with self.assertRaisesRegex(UsageError, "cannot read"):
                question.read_hosts(Path(directory, "none.json"))

    def _settings(self, *arguments: str) -> dict[str, Any]:
        parser = argparse.ArgumentParser()
        question.add_options(parser, question.WEIGHTS_OFFLINE)
        return question.settings(parser.parse_args(arguments))


class PlannerTest(unittest.TestCase):
    """The planner is a small Python program here."""

    def _plan(self, program: str, svg: Path | None = None) -> Any:
        return planner.plan({"seed": 3}, svg, [sys.executable, "-I", "-c", "import json, sys\n" + program])

    def test_request_goes_in_and_plan_comes_out(self) -> None:
        self.assertEqual({"got": {"seed": 3}, "args": []}, self._plan("print(json.dumps({'got': json.load(sys.stdin), 'args': sys.argv[1:]}))"))

    def test_picture_is_asked_for_where_the_user_is(self) -> None:
        args = self._plan("print(json.dumps(sys.argv[1:]))", Path("x.svg"))
        self.assertEqual(["--svg", str(Path.cwd() / "x.svg")], args)

    def test_mistake_is_wrong_use_in_the_planners_words(self) -> None:
        with self.assertRaisesRegex(UsageError, "^no host h9$"):
            self._plan("print(json.dumps({'error': 'no host h9', 'field': 'traffic'})); sys.exit(2)")

    def test_failure_is_no_plan(self) -> None:
        for program, kind in (
            ("sys.exit(1)", ScriptError),
            ("print('[]'); sys.exit(1)", ScriptError),
            ("sys.exit(3)", MissingError),
            ("print('oops')", ScriptError),
        ):
            with self.subTest(program=program), self.assertRaises(kind) as caught:
                self._plan(program)
            self.assertNotIsInstance(caught.exception, UsageError)


class ViewTest(unittest.TestCase):
    def test_path_has_a_line_for_each_branch(self) -> None:
        shown = lines(_PLAN)
        self.assertEqual(["h1", "10.0.0.1", "100", "s1/5", "hamiltonian", "s1 > s2 > s4"], _cells(shown[3]))
        self.assertEqual(["h2", "10.0.2.1", "s1/4", "tree", "s1 > s2"], _cells(shown[4]))
        self.assertEqual(["s1 > s3"], _cells(shown[5]))

    def test_link_has_its_count_and_a_bar(self) -> None:
        shown = lines(_PLAN)
        self.assertEqual(["s1/3 - s4/1", "80", "#" * 40], _cells(shown[8]))
        self.assertEqual(["02/3 - 01:10/2", "1"], _cells(shown[9]))
        few = lines({**_PLAN, "links": [{**_PLAN["links"][0], "subflows": 2.5}]})
        self.assertEqual(["s1/3 - s4/1", "2.5", "##"], _cells(few[8]))

    def test_balance_and_its_proof_are_said(self) -> None:
        shown = lines(_PLAN)
        self.assertIn("maximum 80, minimum 1, spread 79, standard deviation 0.53", shown)
        self.assertIn("proven optimal: yes. No less can be.", shown)
        other = lines({**_PLAN, "proven_optimal": False, "proof": "", "weights": "capacity"})
        self.assertIn("maximum 80, minimum 1, spread 79, standard deviation 0.53 (maximum, minimum and spread: divided by capacity)", other)
        self.assertIn("proven optimal: no.", other)

    def test_rules_and_notes_are_said(self) -> None:
        shown = lines(_PLAN)
        self.assertIn(["s1", "2", "3", "1", "5", "4"], map(_cells, shown))
        self.assertEqual(["12 rules", "note: first", "note: second"], shown[-3:])

    def test_commands_are_shown_if_asked_for(self) -> None:
        wanted = ["# on h1, 10.0.0.1 at s1/1, as root", *_PLAN["hosts"][0]["commands"]]
        self.assertNotIn(wanted[0], lines(_PLAN))
        shown = lines(_PLAN, commands=True)
        first = shown.index(wanted[0])
        self.assertEqual(wanted, shown[first : first + 3])


class HostingTest(unittest.TestCase):
    lab: Any = SimpleNamespace(topology=topology.load("mptcp-1"), inside=lambda host, words: ["on", host, *words])

    def test_commands_run_on_the_labs_hosts_and_nowhere_else(self) -> None:
        ran: list[Sequence[str]] = []
        self.assertEqual({"h1": 2}, hosting.prepare_hosts(self.lab, _PLAN["hosts"], ran.append))
        self.assertEqual(
            ["on h1 ip mptcp limits set subflow 8 add_addr_accepted 8", "on h1 ip addr replace 10.0.0.11/32 dev eth0"],
            [" ".join(words) for words in ran],
        )

    def test_host_is_known_by_its_address(self) -> None:
        self.assertEqual("h3", hosting.host_of(self.lab.topology, {"id": "x", "address": "10.0.0.2/24"}))
        self.assertEqual("h3", hosting.host_of(self.lab.topology, {"id": "x", "address": "fd00:a00::a00:2/64"}))
        self.assertIsNone(hosting.host_of(self.lab.topology, {"id": "h1", "address": "10.0.0.77"}))

    def test_what_is_there_already_is_no_error(self) -> None:
        said = {
            "ip addr add 10.0.0.11/32 dev eth0": "RTNETLINK answers: File exists",
            "ip mptcp endpoint add 10.0.0.11": "Error: too many addresses or duplicate one: -17.",
            "ip mptcp endpoint add 10.0.0.12": "Error: too many addresses or duplicate one: -34.",
        }

        def complain(words: Sequence[str]) -> None:
            raise ScriptError("'ip' failed: " + said[" ".join(words[2:])])

        *there, too_many = said
        member = {**_PLAN["hosts"][0], "commands": there}
        self.assertEqual({"h1": 2}, hosting.prepare_hosts(self.lab, [member], complain))
        with self.assertRaisesRegex(ScriptError, "-34"):
            hosting.prepare_hosts(self.lab, [{**member, "commands": [too_many]}], complain)

    def test_other_commands_than_for_addresses_are_refused(self) -> None:
        for command in ("reboot", "ip netns exec x reboot", "sh -c 'ip addr'", "ip"):
            member = {**_PLAN["hosts"][0], "commands": [command]}
            with self.subTest(command=command), self.assertRaisesRegex(ScriptError, "only 'ip addr'"):
                hosting.prepare_hosts(self.lab, [member], self.fail)


class CommandTest(unittest.TestCase):
    def _run(self, arguments: Sequence[str], status: int = 200, body: Any = None) -> tuple[str, list[tuple[Any, ...]]]:
        asked: list[tuple[Any, ...]] = []

        def answer(*request: Any) -> tuple[int, Any]:
            asked.append(request)
            return status, body

        out = io.StringIO()
        with (
            answering_all(answer) as port,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(io.StringIO()),
            mock.patch.object(sys, "argv", ["x", *arguments, "--http", f"127.0.0.1:{port}"]),
        ):
            self.assertEqual(0, main())
        return out.getvalue(), asked

    def test_apply_sends_the_hosts_of_a_topology(self) -> None:
        out, asked = self._run(["apply", "mptcp-1", "--vlan"], 200, {"state": "applying", "plan": _PLAN})
        [(method, path, body)] = asked
        self.assertEqual(("POST", "/wm/malob/mptcp/apply"), (method, path))
        self.assertEqual(8, len(body["hosts"]))
        self.assertTrue(body["vlan"])
        self.assertNotIn("network", body)
        self.assertEqual(["state: applying", *lines(_PLAN)], out.splitlines())

    def test_apply_without_hosts_is_for_all(self) -> None:
        _, [(_, path, body)] = self._run(["apply", "--dry-run", "--weights", "load"], 200, _PLAN)
        self.assertEqual("/wm/malob/mptcp/plan", path)
        self.assertNotIn("hosts", body)
        self.assertEqual("load", body["weights"])

    def test_status_shows_state_and_plan(self) -> None:
        out, asked = self._run(["status"], 200, {"state": "applied", "plan": _PLAN})
        self.assertEqual([("GET", "/wm/malob/mptcp/status", None)], asked)
        self.assertEqual(["state: applied", *lines(_PLAN)], out.splitlines())
        self.assertEqual("state: none\n", self._run(["status"], 200, {"state": "none", "plan": None})[0])

    def test_status_says_what_is_wrong_and_nothing_of_what_is_not(self) -> None:
        status = {
            "state": "degraded",
            "trouble": None,
            "replans": 0,
            "packets_for_nobody": 3,
            "switches_missing": ["00:00:00:00:00:00:00:05"],
            "plan": None,
        }
        self.assertEqual(["state: degraded", "packets for nobody: 3", "switches missing: 05"], status_lines(status))

    def test_json_is_the_controllers(self) -> None:
        document = {"state": "applied", "plan": _PLAN, "more": 1}
        self.assertEqual(document, json.loads(self._run(["status", "--json"], 200, document)[0]))

    def test_clear_deletes_also_where_nothing_is(self) -> None:
        for status in (200, 404):
            self.assertEqual([("DELETE", "/wm/malob/mptcp", None)], self._run(["clear"], status)[1])

    def test_picture_of_no_plan_is_a_failure(self) -> None:
        with self.assertRaisesRegex(ScriptError, "no plan to draw"):
            self._run(["status", "--svg", "x.svg"], 200, {"state": "none", "plan": None})

    def test_what_the_controller_refuses_is_said(self) -> None:
        with self.assertRaisesRegex(UsageError, "seed is none"):
            self._run(["apply"], 400, {"error": "seed is none", "field": "seed"})
        with self.assertRaisesRegex(ScriptError, "disconnected"):
            self._run(["apply"], 422, {"error": "the network is disconnected", "field": None})


class DoctorTest(unittest.TestCase):
    def test_what_sub_flows_need_is_looked_for_and_not_needed_for_the_demo(self) -> None:
        for answer, found in ((True, "answers"), (False, "does not answer")):
            with (
                mock.patch.object(doctor, "succeeds", return_value=answer) as succeeds,
                mock.patch.object(namespaces, "vlan_devices", return_value=answer),
                mock.patch.object(os, "geteuid", return_value=0),
            ):
                finding = doctor._path_manager()
                vlans = doctor._vlans()
            succeeds.assert_called_once_with(["ip", "mptcp", "limits"])
            self.assertEqual((answer, found, False), (finding.good, finding.found, finding.demo))
            # without it the lab does otherwise
            self.assertEqual((True, "in the kernel" if answer else "not in this kernel"), (vlans.good, vlans.found.split(" (")[0]))
        names = [finding.name for finding in doctor.all_findings()]
        self.assertEqual({"MPTCP", "ip mptcp", "mptcpize", "8021q"} - set(names), set())


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


if __name__ == "__main__":
    unittest.main()
