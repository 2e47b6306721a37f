"""A management network: a namespace for each of several controllers, with one link to the switches and one to etcd.

Switches and etcd are out here, in the network namespace of this process. A link that is cut loses packets without a word, as if
the controller's machine had lost power.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from malob.system import namespaces
from malob.system.cleanup import Cleanup
from malob.system.journal import Journal
from malob.system.namespaces import End, add_pair
from malob.system.place import RUN_DIRECTORY
from malob.system.processes import run
from malob.system.waiting import undisturbed

NAME = "mlm"
_JOURNAL = RUN_DIRECTORY / f"{NAME}.json"
#: Networks for measurements (RFC 2544), which no other one uses.
_SWITCHES, _ETCD = "198.18", "198.19"


class Management:
    """Made by build(), removed by remove(). Controllers count from 1."""

    def __init__(self, controllers: int) -> None:
        self.numbers = range(1, controllers + 1)
        self._journal = Journal(_JOURNAL)

    def build(self) -> None:
        """Creates everything, after the remains of an earlier process that was killed."""
        clear()
        self._journal.begin()
        try:
            namespaces.add(self._journal, [self._namespace(number) for number in self.numbers])
            for number in self.numbers:
                self._join(number, _switch_device(number), "eth0", _SWITCHES)
                self._join(number, _etcd_device(number), "eth1", _ETCD)
        except BaseException:
            with undisturbed():
                self.remove()
            raise

    def _join(self, number: int, device: str, inner: str, network: str) -> None:
        namespace = self._namespace(number)
        add_pair(self._journal, End(device), End(inner, namespace))
        run(["ip", "addr", "add", f"{network}.{number}.1/30", "dev", device])
        run(["ip", "link", "set", device, "up"])
        run(self.inside(number, ["ip", "addr", "add", f"{network}.{number}.2/30", "dev", inner]))
        run(self.inside(number, ["ip", "link", "set", inner, "up"]))
        # controllers reach each other
        run(self.inside(number, ["ip", "route", "add", f"{network}.0.0/16", "via", f"{network}.{number}.1"]))
        Path(f"/proc/sys/net/ipv4/conf/{device}/forwarding").write_text("1")

    def _namespace(self, number: int) -> str:
        return f"{NAME}-c{number}"

    def inside(self, number: int, command: Sequence[str]) -> list[str]:
        """The command that runs another one on a controller's machine."""
        return namespaces.inside(self._namespace(number), command)

    def address(self, number: int) -> str:
        """Where switches find a controller."""
        return f"{_SWITCHES}.{number}.2"

    def etcd_address(self, number: int) -> str:
        """Where a controller finds etcd."""
        return f"{_ETCD}.{number}.1"

    @contextmanager
    def cut(self, number: int) -> Iterator[None]:
        """A controller reaches nothing, and nothing reaches it."""
        with _down(_switch_device(number), _etcd_device(number)):
            yield

    @contextmanager
    def cut_from_etcd(self, number: int) -> Iterator[None]:
        """A controller reaches its switches only."""
        with _down(_etcd_device(number)):
            yield

    def remove(self) -> None:
        """Removes all that is there. Raises ScriptError if something is left."""
        clear()


def clear() -> None:
    """Removes what an earlier process has left. Raises ScriptError if something is left."""
    journal, cleanup = Journal(_JOURNAL), Cleanup()
    if journal.exists():
        journal.undo(namespaces.UNDO, cleanup)
        cleanup.finish()
        journal.end()


def _switch_device(number: int) -> str:
    return f"{NAME}-s{number}"


def _etcd_device(number: int) -> str:
    return f"{NAME}-e{number}"


@contextmanager
def _down(*devices: str) -> Iterator[None]:
    for device in devices:
        run(["ip", "link", "set", device, "down"])
    try:
        yield
    finally:
        with undisturbed():
            for device in devices:
                run(["ip", "link", "set", device, "up"])
