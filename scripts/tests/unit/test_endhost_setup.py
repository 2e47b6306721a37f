"""Setting an end host up, with a failure at each step; the kernel and the programs are made up."""

from __future__ import annotations

import tempfile
import unittest
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from malob.endhost import arp, firewall, inside, network, offloads, setup, switch
from malob.endhost.options import Settings, UplinkOption
from malob.endhost.place import Place
from malob.errors import ScriptError
from malob.system.journal import Journal

_UPLINKS = ("eth0", "eth1")

#: What there is once all is set up, in the order in which it comes.
_ALL = ["inside", "controller", "firewall", "offloads eth0", "arp eth0", "offloads eth1", "arp eth1", "daemons", "bridge"]


class SetupTest(unittest.TestCase):
    """self.there: what is in the made-up system. self.failing: what fails when it is made, before or after; self.stuck: when it is undone."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.there: list[str] = []
        self.failing: tuple[str, bool] | None = None
        self.stuck = ""
        self.setup = setup.Setup(Place("unit-test"), Settings(tuple(map(UplinkOption.parse, _UPLINKS))))
        self.setup.journal = Journal(Path(directory.name, "journal.json"))
        self.setup.controller = mock.Mock(launch=lambda: self.make("controller"), stop=lambda: self.undo("controller"))
        self.setup.controller.process.return_value = None

    def make(self, what: str) -> None:
        if self.failing == (what, False):
            raise ScriptError("no luck")
        self.there.append(what)
        if self.failing == (what, True):
            raise KeyboardInterrupt

    def undo(self, what: str) -> None:
        if what == self.stuck:
            raise OSError(16, "Device or resource busy")
        if what in self.there:
            self.there.remove(what)

    @contextmanager
    def system(self) -> Iterator[None]:
        def noting(what: str) -> Any:
            def make(journal: Journal, *_: Any) -> None:
                journal.add(what, **({"own": False} if what == "bridge" else {}))
                self.make(what)

            return make

        interfaces = {name: mock.Mock(index=at, mtu=1500, promiscuous=False) for at, name in enumerate(_UPLINKS)}
        for name, interface in interfaces.items():
            interface.name = name
        parts: dict[Any, dict[str, Any]] = {
            network: {"read": lambda: interfaces},
            inside: {"make": noting("inside"), "remove": lambda: self.undo("inside")},
            firewall: {"raise_up": lambda _: self.make("firewall"), "take_down": lambda: self.undo("firewall")},
            offloads: {
                "merging_at": lambda _: ["gro"],
                "turn": lambda device, _, on: (self.undo if on else self.make)(f"offloads {device}"),
            },
            arp: {
                "lenient_at": lambda _: {"arp_ignore": 0},
                "tighten": lambda device: self.make(f"arp {device}"),
                "restore": lambda device, _: self.undo(f"arp {device}"),
            },
            switch: {
                "machine_has_daemons": lambda: False,
                "address_own": mock.Mock(),
                "start_daemons": lambda _: self.make("daemons"),
                "stop_daemons": lambda _: self.undo("daemons"),
                "make_bridge": noting("bridge"),
                "remove_bridge": lambda: self.undo("bridge"),
            },
            setup: {"make_archive": mock.Mock(), "run": mock.Mock(), "succeeds": mock.Mock()},
        }
        with ExitStack() as stack:
            for module, replaced in parts.items():
                stack.enter_context(mock.patch.multiple(module, **replaced))
            yield

    def test_whichever_step_fails_nothing_is_left(self) -> None:
        """before it does anything, and once it has"""
        for at, what in enumerate(_ALL):
            for done in (False, True):
                with self.subTest(what=what, done=done), self.system():
                    self.failing = what, done
                    self.setup.journal.begin()
                    with self.assertRaises(KeyboardInterrupt if done else ScriptError):
                        self.setup.make()
                    self.assertEqual(_ALL[: at + done], self.there)
                    self.setup.undo()
                    self.assertEqual(([], False), (self.there, self.setup.journal.exists()))

    def test_whichever_step_cannot_be_undone_all_others_are(self) -> None:
        for what in _ALL:
            with self.subTest(what=what), self.system():
                self.setup.journal.begin()
                self.setup.make()
                self.assertEqual(_ALL, self.there)
                self.stuck = what
                with self.assertRaisesRegex(
                    ScriptError, f"^not everything could be undone: {what.split()[0]}: .*busy. Try './malob endhost down' again$"
                ):
                    self.setup.undo()
                self.assertEqual(([what], 1), (self.there, len(self.setup.journal.steps())))
                self.stuck = ""
                self.setup.undo()
                self.assertEqual(([], False), (self.there, self.setup.journal.exists()))


if __name__ == "__main__":
    unittest.main()
