"""Answers each request after using a fixed amount of processor time for it; run as a program on an emulated host.

`compute_server.py NAME PORT CPU_SECONDS --slot FILES ...` runs requests in parallel, each as a separate process in a slot:
FILES, separated by commas, are the cgroup.procs files that the process enters first. If a client disconnects, its request
ends.

Without cgroups: `--paced DIRECTORY --processors N --processor SHARE`. Each process then limits itself to SHARE of a core, and
all together to N times as much; DIRECTORY gets cpu.max and cpu.stat, like a cgroup, and `share`. Standard
library only, and nothing else of MALOB: it is started by its path.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

_WORKER = Path(__file__).with_name("compute_worker.py")
_LONGEST_SEQUENCE = 1 << 20
_ENTER = 'for file in $0; do echo 0 >"$file"; done; exec "$@"'
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PACE_S = 0.1
_PERIOD_USEC = 100_000


class Slots:
    """Slots for requests; if there are more requests than slots, they share the slots evenly."""

    def __init__(self, slots: list[str]) -> None:
        self._users = dict.fromkeys(slots, 0)

    def take(self) -> str:
        slot = min(self._users, key=lambda each: self._users[each])
        self._users[slot] += 1
        return slot

    def give_back(self, slot: str) -> None:
        self._users[slot] -= 1


class Pacing:
    """The shared quota and usage of processes that limit themselves."""

    def __init__(self, directory: Path, processors: int, processor: float) -> None:
        self.share = directory / "share"
        self._directory = directory
        self._all, self._each = processors * processor, processor
        self._finished_s = 0.0
        self._running: dict[int, float] = {}
        (directory / "cpu.max").write_text(f"{round(self._all * _PERIOD_USEC)} {_PERIOD_USEC}\n")
        self.write()

    def add(self, pid: int) -> None:
        self._running[pid] = 0.0
        self.write()

    def remove(self, pid: int, at_least_s: float) -> None:
        """at_least_s: the min usage of a process that has ended, whose usage can no longer be read."""
        self._finished_s += max(at_least_s, self._running.pop(pid))
        self.write()

    def write(self) -> None:
        for pid in self._running:
            self._running[pid] = max(self._running[pid], _used_s(pid))
        used_s = self._finished_s + sum(self._running.values())
        self._put("share", f"{min(self._each, self._all / max(1, len(self._running))):.6f}\n")
        self._put("cpu.stat", f"usage_usec {round(used_s * 1e6)}\n")

    def _put(self, name: str, text: str) -> None:
        unfinished = self._directory / f"{name}.new"
        unfinished.write_text(text)
        unfinished.replace(self._directory / name)

    async def keep(self) -> None:
        while True:
            self.write()
            await asyncio.sleep(_PACE_S)


def _used_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND


class Server:
    def __init__(self, options: argparse.Namespace) -> None:
        self._name = options.name
        self._cpu_seconds: float = options.cpu_seconds
        self._slots = Slots(options.slot)
        self.pacing = Pacing(options.paced, options.processors, options.processor) if options.paced else None

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline()
            if line.endswith(b"\n") and await self._compute(reader):
                writer.write(json.dumps({"server": self._name}).encode() + b"\n")
                await writer.drain()
        except (OSError, ValueError):
            pass
        finally:
            writer.close()

    async def _compute(self, reader: asyncio.StreamReader) -> bool:
        """Whether it was computed completely; False if the client disconnected."""
        slot = self._slots.take()
        try:
            worker = await asyncio.create_subprocess_exec(*self._command(slot))
            if self.pacing:
                self.pacing.add(worker.pid)
            try:
                ended = asyncio.ensure_future(worker.wait())
                gone = asyncio.ensure_future(reader.read(1))
                await asyncio.wait({ended, gone}, return_when=asyncio.FIRST_COMPLETED)
                gone.cancel()
                return ended.done() and worker.returncode == 0
            finally:
                if worker.returncode is None:
                    worker.kill()
                    await worker.wait()
                if self.pacing:
                    self.pacing.remove(worker.pid, self._cpu_seconds if worker.returncode == 0 else 0.0)
        finally:
            self._slots.give_back(slot)

    def _command(self, slot: str) -> list[str]:
        worker = [sys.executable, "-I", "-S", str(_WORKER), f"{self._cpu_seconds:g}"]
        if self.pacing:
            return [*worker, str(self.pacing.share)]
        return ["sh", "-ec", _ENTER, slot.replace(",", " "), *worker]


async def _serve(options: argparse.Namespace) -> None:
    server = Server(options)
    await asyncio.start_server(server.answer, "0.0.0.0", options.port, limit=_LONGEST_SEQUENCE)
    await (server.pacing.keep() if server.pacing else asyncio.Event().wait())


def main() -> None:
    parser = argparse.ArgumentParser(description="Answers when enough has been computed.")
    parser.add_argument("name")
    parser.add_argument("port", type=int)
    parser.add_argument("cpu_seconds", type=float)
    parser.add_argument("--slot", action="append", default=[])
    parser.add_argument("--paced", type=Path)
    parser.add_argument("--processors", type=int, default=1)
    parser.add_argument("--processor", type=float, default=1.0)
    options = parser.parse_args()
    options.slot = options.slot or [""]
    asyncio.run(_serve(options))


if __name__ == "__main__":
    main()
