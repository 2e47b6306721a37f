"""Objects that a program creates or changes as root: recorded in a file beforehand, and undone in reverse order.

So the remains of a `kill -9` are known, too. Each step has a kind, and the facts to undo it. The owner of the journal knows
how to undo each kind; that must be harmless for a step that was recorded but never done, and for a step that is already undone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Callable

from malob.errors import ScriptError
from malob.system.cleanup import Cleanup
from malob.system.processes import ProcessId

Step = Mapping[str, Any]


class Journal:
    """One file. One writer at a time: the holder of the lock for the journal's objects."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        return self._path.exists()

    def begin(self, owned: bool = True, **facts: Any) -> None:
        """Starts an empty one. owned: it belongs to this process. facts: data for other processes.

        Raises ScriptError if there is one already: its steps must be undone first.
        """
        if self.exists():
            raise ScriptError(f"{self._path} exists already, and lists what to undo first")
        owner = this_process() if owned else None
        self._write({**facts, "boot": boot_mark(), "namespace": namespace_mark(), "owner": owner, "steps": []})

    def take_over(self, **facts: Any) -> None:
        """Continues an existing one: from now on it belongs to this process. facts: new ones."""
        self._write({**self.read(), **facts, "owner": this_process()})

    def disown(self) -> None:
        """From now on it belongs to no process."""
        self._write({**self.read(), "owner": None})

    def add(self, kind: str, **facts: Any) -> None:
        """Notes what will be done now. Once it is noted, the same again changes nothing."""
        document = self.read()
        step = {"kind": kind, **facts}
        if step not in document["steps"]:
            document["steps"].append(step)
            self._write(document)

    def steps(self, kind: str | None = None) -> list[Step]:
        """Those of one kind, or all, in the order in which they were noted."""
        return [step for step in self.read()["steps"] if kind in (None, step["kind"])]

    def remove(self, step: Step) -> None:
        """Forgets a step that has been undone."""
        document = self.read()
        document["steps"].remove(step)
        self._write(document)

    def undo(self, table: Mapping[str, Callable[[Step], object]], cleanup: Cleanup) -> None:
        """Undoes all steps, the last first, and forgets those that could be undone. table: by kind, how.

        cleanup: gets what failed; it is in the journal still, for the next time. The file stays: see end().
        """

        def undo_one(step: Step) -> None:
            if step["kind"] not in table:
                raise ScriptError("this version does not know how to undo that")
            table[step["kind"]](step)
            self.remove(step)

        for step in reversed(self.steps()):
            what = f"{step['kind']} {step['pid']}" if "pid" in step else step["kind"]
            cleanup.step(what, partial(undo_one, step))

    def end(self) -> None:
        """Removes the file: nothing is to be undone any more."""
        self._path.unlink(missing_ok=True)

    def owner(self) -> ProcessId | None:
        """The process that it belongs to, if that runs still."""
        document = self.read()
        if document["boot"] != boot_mark() or document["owner"] is None:
            return None
        process = ProcessId(*document["owner"])
        return process if process.alive() else None

    def is_of_this_network(self) -> bool:
        """Whether its objects can still exist: neither the machine was rebooted nor the namespace recreated."""
        document = self.read()
        return (document["boot"], document["namespace"]) == (boot_mark(), namespace_mark())

    def read(self) -> dict[str, Any]:
        """All of it. Raises ScriptError if it is not there, or damaged."""
        try:
            document: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ScriptError(f"cannot read {self._path}, which lists what to undo: {error}") from None
        if "owner" not in document and "supervisor" in document:
            # what an end host of an earlier version has left: it outlives an upgrade
            document["owner"] = document.pop("supervisor")
        return document

    def _write(self, document: Mapping[str, Any]) -> None:
        """All of it or nothing, even if the power fails."""
        new = self._path.with_name(f"{self._path.name}.new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(document, indent=1), encoding="utf-8")
            _reach_disk(new)
            new.replace(self._path)
            _reach_disk(self._path.parent)
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            raise ScriptError(f"{self._path} cannot be written: {error.strerror}") from None


def namespace_mark() -> list[int]:
    """What tells this network namespace from all others that are there now."""
    status = os.stat("/proc/self/ns/net")
    return [status.st_dev, status.st_ino]


def boot_mark() -> str:
    """What tells this run of the kernel from all others."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _reach_disk(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def this_process() -> list[int]:
    """As journals have it: number, and when it started."""
    process = ProcessId.of(os.getpid())
    assert process is not None
    return [process.pid, process.start_ticks]
