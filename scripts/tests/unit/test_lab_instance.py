"""Building and removing labs, one beside the other; Open vSwitch and the kernel are made up."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from lab import __main__ as command
from lab import instance
from lab.demo import session
from malob.errors import ScriptError
from malob.network import labs, topology
from malob.system import ovs
from malob.system.journal import Journal
from malob.system.place import ROOT
from malob.system.ports import free_port
from malob.system.processes import ProcessId
from research.bench import faults
from research.bench.compare import comparison_site as compare
from research.bench.open_vswitch import site as open_vswitch
from research.bench.open_vswitch.run import OpenVSwitchCommand
from research.bench.soak import soak_site as soak
from research.experiments.site import site as experiments
from tests.system import base as system

NETWORK = topology.load("single")


class LabTest(unittest.TestCase):
    """self.there: the contents of the fake system; self.broken: the parts that cannot be removed."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.there: set[str] = set()
        self.broken: set[str] = set()
        self.patch(labs, RUN_DIRECTORY=self.place)
        self.patch(instance, RUN_DIRECTORY=self.place, _check_free=mock.Mock(), _build=self.build, _unready=lambda _: "")
        self.patch(
            ovs,
            ensure_running=mock.Mock(),
            datapath_type=lambda: "netdev",
            database_runs=lambda: True,
            database_listens=lambda: True,
            switch_daemon_runs=lambda: True,
            stop_ours=lambda: self.remove("daemons"),
            bridges_of=lambda name: [each for each in self.there if each == f"{name}-bridges"],
            vsctl=self.vsctl,
        )
        self.patch(instance.namespaces, remove=lambda those: self.remove(f"{those[0].name.partition('-')[0]}-hosts"), vlan_devices=lambda: True)
        self.patch(
            instance.choice,
            choose=lambda _: "emulator",
            shaper=lambda kind, directory, switches: mock.Mock(stop=lambda: self.remove(f"{directory.name}-links")),
        )

    def patch(self, module: Any, **replacements: Any) -> None:
        patch = mock.patch.multiple(module, **replacements)
        patch.start()
        self.addCleanup(patch.stop)

    def build(self, lab: instance.Instance, _controllers: Any) -> None:
        for what in ("hosts", "links", "bridges"):
            Journal(lab.directory / "state.json").add(what)
        self.there |= {f"{lab.name}-{what}" for what in ("bridges", "hosts", "links")} | {"daemons"}

    def vsctl(self, *words: str, **_: Any) -> None:
        for word in words:
            if word.endswith("-bridges"):
                self.remove(word)

    def remove(self, what: str) -> None:
        if what in self.broken:
            raise OSError(28, "No space left on device")
        self.there.discard(what)

    def up(self, name: str) -> instance.Instance:
        return instance.up(NETWORK, name, owned=True)

    def owned_by(self, name: str, pid: int) -> None:
        """As if another process had built the lab."""
        process = ProcessId.of(pid)
        assert process is not None
        file = self.place / name / "state.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "owner": [process.pid, process.start_ticks]}))


class ChannelTest(unittest.TestCase):
    def test_attempt_to_connect_may_take_longer_than_the_first_message_over_a_delayed_channel(self) -> None:
        lab = instance.Instance("lab", NETWORK, "127.0.0.1:6653", "netdev", "emulator", 1)
        [switch] = NETWORK.switches
        for delay_ms, pause in ((0, 1000), (100, 1000), (300, 2000), (600, 3000)):
            commands = instance.control_and_hosts(lab, switch, instance.Channel(lab.controller, delay_ms))
            self.assertIn(f"max_backoff={pause}", commands[0])
            self.assertGreaterEqual(pause, 3 * delay_ms + 500)


class OwnershipTest(LabTest):
    def test_lab_of_another_process_stays(self) -> None:
        """a second one of the same name is refused, and what cleans up after it removes nothing"""
        self.up("mlf")
        self.owned_by("mlf", os.getppid())
        before = set(self.there)
        with self.assertRaisesRegex(ScriptError, rf"the lab 'mlf' is up already, for process {os.getppid()}, which removes it"):
            self.up("mlf")
        instance.remove_own("mlf")
        self.assertEqual(before, self.there)
        self.assertEqual(["mlf"], labs.running())

    def test_own_lab_goes_and_that_of_another_name_stays(self) -> None:
        self.up("mlf")
        self.up("mlv")
        instance.remove_own("mlf")
        self.assertEqual({"mlv-bridges", "mlv-hosts", "mlv-links", "daemons"}, self.there)
        instance.remove_own("mlv")
        self.assertEqual(set(), self.there)
        self.assertEqual(["lock"], os.listdir(self.place))

    def test_lab_that_was_left_to_itself_is_not_our_own(self) -> None:
        self.up("mlf").disown()
        instance.remove_own("mlf")
        self.assertEqual(["mlf"], labs.running())
        self.assertTrue(instance.down("mlf"))

    def test_benchmark_that_cannot_start_leaves_the_lab_of_another_run(self) -> None:
        options = mock.Mock(fault=["link-down"], rounds=1, case=["tracked"])
        for name, benchmark in ((faults.NAME, faults.FaultsCommand()), (open_vswitch.NAME, OpenVSwitchCommand())):
            self.up(name)
            self.owned_by(name, os.getppid())
            with self.subTest(name), self.assertRaisesRegex(ScriptError, "is up already"):
                benchmark.measure(options)
            self.assertIn(f"{name}-bridges", self.there)

    def test_soak_and_demo_that_cannot_start_leave_the_lab_of_another_run(self) -> None:
        """in the moment between looking whether a lab is there and building one"""
        for name, start in ((soak.NAME, self.start_soak), (session.NAME, self.start_demo)):
            self.up(name)
            self.owned_by(name, os.getppid())
            with self.subTest(name), self.assertRaisesRegex(ScriptError, "is up already"):
                start()
            self.assertIn(f"{name}-bridges", self.there)

    def start_soak(self) -> None:
        with soak.SoakSite(self.place):
            self.fail("it must not start")

    def start_demo(self) -> None:
        with mock.patch.object(instance, "clear_leftover"), mock.patch.object(session, "RUN_DIRECTORY", self.place):
            session.run(session.Plan(1, free_port(), free_port(), False), mock.Mock())

    def test_each_program_has_a_lab_of_its_own(self) -> None:
        names = [labs.DEFAULT_NAME, compare.NAME, faults.NAME, open_vswitch.NAME, soak.NAME, session.NAME, experiments.NAME, system.NAME]
        self.assertEqual(len(names), len(set(names)), names)
        for name in names:
            labs.check_name(name)


class AtTheSameTimeTest(LabTest):
    def test_second_of_one_name_is_refused_and_those_of_other_names_run(self) -> None:
        building = threading.Semaphore(0)

        def slowly(lab: instance.Instance, controllers: Any) -> None:
            building.acquire(timeout=10)
            self.build(lab, controllers)

        self.patch(instance, _build=slowly)
        outcomes: list[str] = []

        def up(name: str) -> None:
            try:
                outcomes.append(self.up(name).name)
            except ScriptError as error:
                outcomes.append(str(error))

        with contextlib.redirect_stderr(io.StringIO()):
            threads = [threading.Thread(target=up, args=(name,)) for name in ("mlf", "mlf", "mlv")]
            for thread in threads:
                thread.start()
            for _ in range(3):
                time.sleep(0.1)
                building.release()
            for thread in threads:
                thread.join(20)
        self.assertEqual(["mlf", "mlv", f"the lab 'mlf' is up already, for process {os.getpid()}, which removes it when it ends"], sorted(outcomes))
        self.assertEqual(["mlf", "mlv"], labs.running())

    def test_who_waits_is_told_for_whom_and_gives_up(self) -> None:
        program = (
            "import sys, time; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from lab import instance\n"
            "instance.RUN_DIRECTORY = Path(sys.argv[2])\n"
            "with instance._lock('is building', 'mlx'):\n    print('locked', flush=True); time.sleep(60)"
        )
        with subprocess.Popen([sys.executable, "-c", program, str(ROOT / "scripts"), str(self.place)], stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            self.patch(instance, _PATIENCE_S=1.3)
            with (
                contextlib.redirect_stderr(io.StringIO()) as said,
                self.assertRaisesRegex(ScriptError, rf"process {holder.pid} is building the lab 'mlx' \(.*\); waited 1.3 s for it"),
            ):
                self.up("mlf")
            self.assertEqual(f"waiting: process {holder.pid} is building the lab 'mlx'\n", said.getvalue())
            holder.send_signal(signal.SIGKILL)
        self.up("mlf")

    def test_no_process_is_lost_that_is_added_meanwhile(self) -> None:
        lab = self.up("mlf")
        children = [subprocess.Popen(["sleep", "60"]) for _ in range(6)]
        try:
            threads = [threading.Thread(target=lab.add_process, args=(child.pid,)) for child in children]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(20)
            known = Journal(self.place / "mlf" / "state.json").steps("process")
            self.assertEqual({child.pid for child in children}, {step["pid"] for step in known})
        finally:
            for child in children:
                child.kill()
                child.wait()


class RemovalTest(LabTest):
    def test_all_other_steps_are_taken_and_the_failed_one_is_told_and_tried_again(self) -> None:
        for what in ("bridges", "hosts", "links"):
            with self.subTest(what):
                self.up("mlf")
                self.broken = {f"mlf-{what}"}
                with self.assertRaisesRegex(
                    ScriptError, rf"^not everything could be removed: {what}: .*No space left on device. './malob lab down --name mlf'"
                ):
                    instance.down("mlf")
                self.assertEqual({f"mlf-{what}"}, self.there)
                self.broken = set()
                self.assertTrue(instance.down("mlf"))
                self.assertEqual((set(), []), (self.there, labs.running()))

    def test_database_that_does_not_answer_is_told(self) -> None:
        self.up("mlf")
        self.patch(ovs, database_runs=lambda: False)
        with self.assertRaisesRegex(ScriptError, "removed: bridges: Open vSwitch's database does not answer"):
            instance.down("mlf")
        self.assertEqual({"mlf-bridges"}, self.there)

    def test_bridges_that_went_with_their_daemons_are_removed(self) -> None:
        self.up("mlf")
        self.broken = {"mlf-bridges"}
        self.patch(ovs, database_listens=lambda: False, stop_ours=self.there.clear)
        devices = mock.Mock()
        self.patch(instance.namespaces, remove_devices=devices)
        self.assertTrue(instance.down("mlf"))
        self.assertIn("mlf-s1", devices.call_args.args[0])

    def test_bridges_that_cannot_be_removed_go_with_their_daemons(self) -> None:
        self.up("mlf")
        self.broken = {"mlf-bridges"}
        self.patch(ovs, database_listens=lambda: bool(self.there & {"daemons"}))
        devices = mock.Mock()
        self.patch(instance.namespaces, remove_devices=devices)
        self.assertTrue(instance.down("mlf"))
        self.assertIn("mlf-s1", devices.call_args.args[0])
        self.assertEqual([], labs.running())

    def test_lab_of_an_earlier_version_is_removed(self) -> None:
        child = subprocess.Popen(["sleep", "60"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        self.up("mlf").add_process(child.pid)
        file = self.place / "mlf" / "state.json"
        state = json.loads(file.read_text())
        steps = state.pop("steps")
        state["processes"] = [[step["pid"], step["start_ticks"]] for step in steps if step["kind"] == "process"]
        file.write_text(json.dumps({key: value for key, value in state.items() if key not in ("boot", "namespace")}))
        self.assertTrue(instance.down("mlf"))
        self.assertEqual((set(), []), (self.there, labs.running()))
        self.assertEqual(-signal.SIGTERM, child.wait(10))

    def test_whatever_is_interrupted_while_building_nothing_stays(self) -> None:
        """at each note, and at each making"""
        for moment in range(6):
            moments = iter(range(7))

            def tick(moment: int = moment, moments: Any = moments) -> None:
                if next(moments) == moment:
                    raise KeyboardInterrupt

            def build(lab: instance.Instance, _controllers: Any, tick: Any = tick) -> None:
                for what in ("hosts", "links", "bridges"):
                    Journal(lab.directory / "state.json").add(what)
                    self.there.add(f"{lab.name}-{what}")
                    tick()

            def ensure(tick: Any = tick) -> None:
                self.there.add("daemons")
                tick()

            with (
                self.subTest(moment=moment),
                mock.patch.multiple(instance, _build=build, _check_free=lambda _, tick=tick: tick()),
                mock.patch.object(ovs, "ensure_running", ensure),
            ):
                if moment < 5:
                    with self.assertRaises(KeyboardInterrupt):
                        self.up("mlf")
                else:
                    self.up("mlf")
                    self.assertTrue(instance.down("mlf"))
                self.assertEqual((set(), []), (self.there, labs.running()))

    def test_full_disk_while_building_is_told_and_nothing_stays(self) -> None:
        with (
            mock.patch.object(Path, "write_text", side_effect=OSError(28, "No space left on device")),
            self.assertRaisesRegex(ScriptError, "state.json cannot be written: No space left on device"),
        ):
            self.up("mlf")
        self.assertEqual((set(), []), (self.there, labs.running()))

    def test_error_while_building_is_not_hidden_by_one_while_removing(self) -> None:
        def fail(lab: instance.Instance, controllers: Any) -> None:
            self.build(lab, controllers)
            raise ScriptError("no luck")

        self.patch(instance, _build=fail)
        self.broken = {"mlf-hosts"}
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaisesRegex(ScriptError, "no luck"):
            self.up("mlf")
        self.assertEqual("could not be removed: hosts: [Errno 28] No space left on device\n", said.getvalue())
        self.assertEqual({"mlf-hosts"}, self.there)

    def test_down_of_all_goes_on_after_one_that_fails(self) -> None:
        for name in ("mlf", "mlv"):
            self.up(name)
        self.broken = {"mlf-hosts"}
        self.patch(command, need_root=mock.Mock())
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(1, command._down(mock.Mock(all=True)))
        self.assertEqual(["mlf"], labs.running())
        self.assertIn("lab 'mlf': not everything could be removed: hosts", said.getvalue())
        self.assertIn("lab 'mlv' is removed", said.getvalue())


class ListTest(LabTest):
    def listed(self) -> dict[str, Any]:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(0, command._list(mock.Mock(json=True)))
        with contextlib.redirect_stdout(io.StringIO()) as text:
            self.assertEqual(0, command._list(mock.Mock(json=False)))
        self.text = text.getvalue()
        listed: dict[str, Any] = json.loads(out.getvalue())["labs"]
        return listed

    def test_lab_that_goes_meanwhile_is_not_listed(self) -> None:
        self.up("mlf")
        self.up("mlv")
        (self.place / "mlf" / "state.json").unlink()
        # it was there a moment ago
        names = iter([["mlf", "mlv"], ["mlf", "mlv"]] + [["mlv"]] * 9)
        with mock.patch.object(labs, "running", lambda: next(names)):
            self.assertEqual(["mlv"], [lab.name for lab in instance.find_all()])
        self.assertEqual({"mlv"}, set(self.listed()))

    def test_lab_whose_links_cannot_be_read_is_listed_without(self) -> None:
        self.up("mlf")
        with (
            mock.patch("lab.linking.to_json", side_effect=ScriptError("no answer")),
            mock.patch("lab.linking.shaped_directions", side_effect=ScriptError("no answer")),
        ):
            self.assertIsNone(self.listed()["mlf"]["links"])
        self.assertIn("up: 'mlf', topology single", self.text)
        self.assertIn("its links cannot be read: it is being built or removed", self.text)


if __name__ == "__main__":
    unittest.main()
