"""Switches that lose their controller or their rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lab.instance import Instance
from malob.system import ovs

#: An address without a listener.
_NOWHERE = "tcp:127.0.0.1:1"


@contextmanager
def without_controller(lab: Instance, switch: str) -> Iterator[None]:
    """The switch cannot reach its controller, and continues with its rules."""
    bridge = lab.bridge(switch)
    before = ovs.vsctl("get-controller", bridge).strip()
    # changed, not deleted: a bridge that has no controller at all loses its rules
    _set_target(bridge, _NOWHERE)
    try:
        yield
    finally:
        _set_target(bridge, before)


def _set_target(bridge: str, target: str) -> None:
    ovs.vsctl("set", "Controller", bridge, f'target="{target}"')


def empty(lab: Instance, switch: str) -> None:
    """All rules of the switch are removed at once, without notice, as after a restart."""
    ovs.ofctl("del-flows", lab.bridge(switch))
