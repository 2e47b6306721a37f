"""Switches that lose their controller or their rules, or whose tables are full."""

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


@contextmanager
def full_table(lab: Instance, switch: str, table: int) -> Iterator[None]:
    """The table accepts no more rules: TABLE_FULL."""
    bridge = lab.bridge(switch)
    rules = ovs.ofctl("dump-flows", bridge, f"table={table}").count("cookie=")
    ovs.vsctl(
        "--",
        "--id=@limit",
        "create",
        "Flow_Table",
        f"flow_limit={rules}",
        "overflow_policy=refuse",
        "--",
        "set",
        "Bridge",
        bridge,
        f"flow_tables:{table}=@limit",
    )
    try:
        yield
    finally:
        ovs.vsctl("remove", "Bridge", bridge, "flow_tables", str(table))
