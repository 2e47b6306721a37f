"""Corrupted files: every reader either accepts one or names the error, and nothing else happens."""

from __future__ import annotations

import copy
import json
import random
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable

from lab.shaping import trace
from malob.errors import UsageError
from malob.network import topology
from research.experiments.endhost import traces

_TIMES = 2_000
#: What stands where something else should.
_WRONG: tuple[Any, ...] = (None, True, -1, 0, 1e308, 10**30, "", "x" * 300, "\u0000", "é/..", [], [[]], {}, {"x": 1})


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every value in a document: its container, and its key there."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        _places(value[key], found)
    return found


def _spoiled(document: Any, chance: random.Random) -> Any:
    document = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        places = _places(document, [])
        if not places:
            break
        holder, key = chance.choice(places)
        kind = chance.randrange(4)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[str(chance.choice(_WRONG))] = holder.pop(key)
        elif kind == 2:
            other, at = chance.choice(places)
            holder[key] = copy.deepcopy(other[at]) if at in other or (isinstance(other, list) and at < len(other)) else None
        else:
            holder[key] = copy.deepcopy(chance.choice(_WRONG))
    return document


def _garbled(text: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(text) + 1)
    return chance.choice(
        (
            lambda: text[:at],
            lambda: text[:at] + bytes([chance.randrange(256)]) + text[at + 1 :],
            lambda: text[:at] + text[at + chance.randrange(20) :],
            lambda: text[:at] + text[at : at + 20] * 2 + text[at:],
            lambda: text[:at] + b"[" * 30_000 + text[at:],
        )
    )()


class HostileFilesTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name, "given.json")
        self.chance = random.Random(8259)

    def read_all(self, make: Callable[[], bytes], read: Callable[[], object]) -> None:
        refused = 0
        for number in range(_TIMES):
            content = make()
            self.file.write_bytes(content)
            try:
                read()
            except UsageError:
                refused += 1
            except Exception as error:
                self.fail(f"{type(error).__name__} {error}, number {number}: {content[:300]!r}")
        self.assertGreater(refused, _TIMES // 10, "not much of a test")

    def test_topology_withWrongFields_isReadOrRefused(self) -> None:
        documents = [json.loads((topology.DIRECTORY / f"{name}.json").read_text()) for name in ("mesh5", "mptcp-1")]
        self.read_all(lambda: json.dumps(_spoiled(self.chance.choice(documents), self.chance)).encode(), lambda: topology.load(str(self.file)))

    def test_trace_garbled_isReadOrRefused(self) -> None:
        text = (trace.DIRECTORY / "steps.csv").read_bytes()
        self.file = self.file.with_suffix(".csv")
        self.read_all(lambda: _garbled(text, self.chance), lambda: trace.load(str(self.file)))

    def test_ownCsvTrace_garbled_isReadOrRefused(self) -> None:
        text = b"# of two\nseconds,wifi,lte\n0,10,2.5\n1,0,5\n2.5,20,5\n"
        self.file = self.file.with_suffix(".csv")
        self.read_all(lambda: _garbled(text, self.chance), lambda: traces.load([self.file]))

    def test_ownMahimahiTrace_garbled_isReadOrRefused(self) -> None:
        self.read_all(lambda: _garbled(b"1\n1\n5\n90\n250\n", self.chance), lambda: traces.load([self.file]))

    def test_topology_garbled_isReadOrRefused(self) -> None:
        text = (topology.DIRECTORY / "mesh5.json").read_bytes()
        self.read_all(lambda: _garbled(text, self.chance), lambda: topology.load(str(self.file)))
