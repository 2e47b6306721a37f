"""What has been changed in the system, and how it was before: written down before each change.

So `down` always knows what to undo, after `kill -9` of everything as well.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from malob.endhost.place import boot_mark, namespace_mark
from malob.errors import ScriptError
from malob.system.processes import ProcessId

Step = Mapping[str, Any]


class Journal:
    """The file of one end host. One writer at a time: whoever holds the place's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        return self._path.exists()

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Starts an empty one, of this process. settings: what was asked for; they can be looked up by others."""
        self._write({"boot": boot_mark(), "namespace": namespace_mark(), "supervisor": _this_process(), "settings": dict(settings), "steps": []})

    def take_over(self, settings: Mapping[str, Any]) -> None:
        """Goes on with one that is there: from now on it is this process's. settings: as begin() has them."""
        self._write({**self._read(), "supervisor": _this_process(), "settings": dict(settings)})

    def add(self, kind: str, **facts: Any) -> None:
        """Notes what will be changed now. Once it is noted, the same again changes nothing."""
        document = self._read()
        step = {"kind": kind, **facts}
        if step not in document["steps"]:
            document["steps"].append(step)
            self._write(document)

    def steps(self, kind: str | None = None) -> list[Step]:
        """Those of one kind, or all, in the order in which they were made."""
        return [step for step in self._read()["steps"] if kind in (None, step["kind"])]

    def remove(self, step: Step) -> None:
        """Forgets a step that has been undone."""
        document = self._read()
        document["steps"].remove(step)
        self._write(document)

    def end(self) -> None:
        """Removes the file: nothing is changed any more."""
        self._path.unlink(missing_ok=True)

    def settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = self._read()["settings"]
        return settings

    def supervisor(self) -> ProcessId | None:
        """The process that wrote it, if it runs still."""
        document = self._read()
        if document["boot"] != boot_mark():
            return None
        process = ProcessId(*document["supervisor"])
        return process if process.alive() else None

    def is_of_this_network(self) -> bool:
        """Whether what it tells of is still there: the machine has not been booted since, nor the namespace been made anew."""
        document = self._read()
        return (document["boot"], document["namespace"]) == (boot_mark(), namespace_mark())

    def _read(self) -> dict[str, Any]:
        try:
            document: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
            return document
        except (OSError, ValueError) as error:
            raise ScriptError(f"cannot read {self._path}, which tells what to undo: {error}") from None

    def _write(self, document: dict[str, Any]) -> None:
        """All of it or nothing, even if the power fails."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        with open(new, "w", encoding="utf-8") as out:
            json.dump(document, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        os.replace(new, self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _this_process() -> list[int]:
    process = ProcessId.of(os.getpid())
    assert process is not None
    return [process.pid, process.start_ticks]
