"""Our link emulator (scripts/lab/emulator/): one process that carries all links of a lab in user space."""

from __future__ import annotations

import socket
from pathlib import Path

from lab.shaping.shaper import DEFAULT_QUEUE_PACKETS, Reading, Shaper
from lab.shaping.trace import Trace
from malob.errors import ScriptError
from malob.network.links import Direction
from malob.system.namespaces import device_exists
from malob.system.place import CACHE
from malob.system.preparation import prepare
from malob.system.processes import PidFile
from malob.system.waiting import wait_until

PROGRAM = CACHE / "link-emulator"

#: Longer than the emulator ever takes, even on an overloaded machine.
_ANSWER_TIMEOUT_S = 10


def handover_ns(switches: int) -> int:
    """The delay that switches in user space and the emulator add to a link (docs/explanation/experiments/accuracy.md); it is
    subtracted.

    One thread does the work of all switches, and polls all ports of all of them in each round.
    """
    return 200_000 + 50_000 * switches


class Emulator(Shaper):
    """The emulator of one lab.

    Starts with the first link; another process can continue to use it through the same directory.
    """

    kind = "emulator"
    of_switches = True

    def __init__(self, directory: Path, handover_ns: int) -> None:
        """directory: of the lab; its socket and its log are there."""
        self.directory = directory
        self._socket = directory / "links.sock"
        self._log = directory / "links.log"
        self._process = PidFile(directory / "links.pid")
        self._handover_ns = handover_ns

    def join(self, first: str, second: str) -> None:
        """If the devices do not exist, it creates TAP devices, which another process can use."""
        if not self._listens():
            self._start()
        verb = "attach" if device_exists(first) else "make"
        self._ask(f"{verb} {first} {second} {self._handover_ns}")

    def carries(self, device: str) -> bool:
        if not self._listens():
            return False
        try:
            self._ask(f"read {device}")
        except ScriptError:
            return False
        return True

    def set(self, device: str, direction: Direction) -> None:
        queue = direction.queue_packets or DEFAULT_QUEUE_PACKETS
        self._ask(
            f"set {device} rate_bps={round((direction.rate_mbps or 0) * 1e6)}"
            f" delay_ns={round((direction.delay_ms or 0) * 1e6)} queue_packets={queue}"
            f" loss_ppm={round((direction.loss or 0) * 1e6)}"
        )

    def play(self, device: str, trace: Trace) -> None:
        plan = self._socket.with_name(f"{device}.plan")
        plan.write_text(trace.plan())
        try:
            self._ask(f"play {device} {plan}")
        finally:
            plan.unlink()

    def read(self, device: str) -> Reading:
        return reading(self._ask(f"read {device}"))

    def forget_lateness(self) -> None:
        self._ask("punctual")

    @property
    def pid(self) -> int | None:
        process = self._process.process()
        return process.pid if process else None

    def stop(self) -> None:
        """Packets on its links are lost, and the devices that it created are removed."""
        self._process.end()
        self._socket.unlink(missing_ok=True)

    def _start(self) -> None:
        prepare("emulator")
        self.stop()
        self._process.start([str(PROGRAM), str(self._socket)], self._log)
        wait_until(self._listens, f"the link emulator to answer; see {self._log}", 10, 0.01)

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            return connection.connect_ex(str(self._socket)) == 0

    def _ask(self, request: str) -> str:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.settimeout(_ANSWER_TIMEOUT_S)
            try:
                connection.connect(str(self._socket))
                connection.send(request.encode())
                answer = connection.recv(4096).decode()
            except OSError as error:
                raise ScriptError(f"the link emulator does not answer: {error}") from None
        verdict, _, words = answer.partition(" ")
        if verdict != "ok":
            raise ScriptError(f"the link emulator: {words or 'it ended'}")
        return words


def reading(words: str) -> Reading:
    """The emulator's reply about a direction: NAME=VALUE, separated by blanks."""
    values = {name: int(value) for name, _, value in (word.partition("=") for word in words.split())}
    return Reading(
        direction=Direction(
            rate_mbps=values["rate_bps"] / 1e6 or None,
            delay_ms=values["delay_ns"] / 1e6 or None,
            queue_packets=values["queue_packets"],
            loss=values["loss_ppm"] / 1e6 or None,
        ),
        traced=bool(values["trace"]),
        packets=values["packets"],
        mbytes=values["bytes"] / 1e6,
        dropped=values["dropped"] + values["overflowed"],
        lost=values["lost"],
        late=values["late"],
        latest_ms=values["latest_ns"] / 1e6,
    )
