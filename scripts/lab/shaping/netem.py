"""The kernel's netem: links are veth pairs, each end shaped by a queueing discipline."""

from __future__ import annotations

import json
import math
import sys
from functools import partial
from pathlib import Path
from typing import Any

from lab.shaping.shaper import DEFAULT_QUEUE_PACKETS, Reading, Shaper
from lab.shaping.trace import Trace
from malob.errors import ScriptError
from malob.network.links import Direction
from malob.system import namespaces
from malob.system.cleanup import Cleanup
from malob.system.namespaces import End
from malob.system.processes import PidFile, run

#: Packets are counted without it, by the emulator and netem alike.
ETHERNET_HEADER = 14

#: netem's queue also contains packets on the wire; without a rate, this is the only limit.
_UNLIMITED_PACKETS = 100_000
_UNLIMITED_BPS = 100_000_000_000
_FULL_PACKET_BITS = 1500 * 8

PLAYER = Path(__file__).parent / "netem_player.py"


def arguments(direction: Direction) -> list[str]:
    """The words after `tc qdisc replace dev DEVICE root` that make netem do this."""
    rate_bps = _UNLIMITED_BPS if direction.rate_mbps is None else round(direction.rate_mbps * 1e6)
    # rate RATE OVERHEAD: bytes that are added per packet, here negative. A change without a rate would keep the last one.
    words = ["netem", "limit", str(_limit(direction)), "rate", f"{rate_bps}bit", str(-ETHERNET_HEADER)]
    if direction.delay_ms:
        words += ["delay", f"{round(direction.delay_ms * 1000)}us"]
    if direction.loss:
        words += ["loss", "random", f"{direction.loss * 100:.4f}%"]
    return words


def _limit(direction: Direction) -> int:
    """netem's limit is for waiting packets and those on the wire together; the latter are counted as full-size packets."""
    if direction.rate_mbps is None:
        return _UNLIMITED_PACKETS
    on_the_wire = direction.rate_mbps * 1e3 * (direction.delay_ms or 0) / _FULL_PACKET_BITS
    return (direction.queue_packets or DEFAULT_QUEUE_PACKETS) + 1 + math.ceil(on_the_wire)


class Netem(Shaper):
    """Links by netem. A small process per direction changes rates according to a trace."""

    kind = "netem"
    of_switches = False

    def __init__(self, directory: Path) -> None:
        """directory: of the lab. The settings of each direction are kept there: netem does not report them in this form."""
        self._directory = directory / "netem"

    def carries(self, device: str) -> bool:
        return namespaces.device_exists(device)

    def join(self, first: str, second: str) -> None:
        if self.carries(first):
            return
        # before they are created: stop() removes what is recorded
        for device in (first, second):
            self._write_note(device, Direction())
        namespaces.make_pair(End(first), End(second))
        namespaces.take_up([first, second])
        for device in (first, second):
            self.set(device, Direction())

    def set(self, device: str, direction: Direction) -> None:
        self._player(device).end()
        run(["tc", "qdisc", "replace", "dev", device, "root", *arguments(direction)])
        self._write_note(device, direction)

    def _write_note(self, device: str, direction: Direction) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        note = self._note(device)
        unfinished = note.with_suffix(".new")
        unfinished.write_text(json.dumps(vars(direction)))
        unfinished.replace(note)

    def play(self, device: str, trace: Trace) -> None:
        self._player(device).end()
        plan = self._plan(device)
        plan.write_text(json.dumps({"period_s": trace.period_s, "steps": self._commands(device, trace)}))
        self._player(device).start([sys.executable, "-I", str(PLAYER), str(plan)], self._directory / f"{device}.log")

    def _commands(self, device: str, trace: Trace) -> list[tuple[float, list[str]]]:
        """The time of each step and its command; the queue is unchanged."""
        direction = self._told(device)
        steps = []
        for step in trace.steps:
            delay_ms = direction.delay_ms if step.delay_ms is None else step.delay_ms
            loss = direction.loss if step.loss is None else step.loss
            direction = Direction(step.rate_mbps, delay_ms, direction.queue_packets, loss)
            steps.append((step.seconds, ["tc", "qdisc", "change", "dev", device, "root", *arguments(direction)]))
        return steps

    def read(self, device: str) -> Reading:
        told = self._told(device)
        found = run(["tc", "-s", "-j", "qdisc", "show", "dev", device])
        return reading(json.loads(found), told, self._player(device).process() is not None)

    def stop(self) -> None:
        """Raises ScriptError if something is left after all attempts."""
        cleanup = Cleanup()
        for note in self._directory.glob("*.json"):
            cleanup.step(note.stem, partial(self._remove, note.stem))
        if cleanup.failures:
            raise ScriptError("; ".join(cleanup.failures))

    def _remove(self, device: str) -> None:
        self._player(device).end()
        if namespaces.device_exists(device):
            # this also removes the other end
            run(["ip", "link", "del", device], check=False)

    def _player(self, device: str) -> PidFile:
        return PidFile(self._directory / f"{device}.pid")

    def _told(self, device: str) -> Direction:
        try:
            return Direction(**json.loads(self._note(device).read_text()))
        except OSError:
            raise ScriptError(f"{device} is not an end of a link") from None

    def _note(self, device: str) -> Path:
        return self._directory / f"{device}.json"

    def _plan(self, device: str) -> Path:
        return self._directory / f"{device}.plan"


def reading(qdiscs: list[dict[str, Any]], direction: Direction, traced: bool) -> Reading:
    """The counters of `tc -s -j qdisc show`; its drops include random losses."""
    for qdisc in qdiscs:
        if qdisc.get("kind") == "netem":
            packets = qdisc["packets"]
            return Reading(direction, traced, packets, (qdisc["bytes"] - ETHERNET_HEADER * packets) / 1e6, qdisc["drops"], 0)
    raise ScriptError("the link has lost its netem")
