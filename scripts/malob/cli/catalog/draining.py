"""Takes members out of service without interrupting connections."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Callable

from malob.cli.catalog.kinds import BASE, MEMBER
from malob.errors import ScriptError
from malob.rest.client import RestClient, RestError, segment

_PAUSE_S = 0.5


def drain(rest: RestClient, member: str) -> None:
    """Stops new connections to the member; open ones continue. Raises RestError."""
    rest.change(f"{MEMBER.path}{segment(member)}", {"admin_state": "drain"}, f"member {member}")


def open_connections(rest: RestClient, member: str) -> int:
    """The number of open connections of the member; 0 if it no longer exists, or is in no pool. Raises RestError."""
    try:
        pool = rest.get(f"{MEMBER.path}{segment(member)}")["pool_id"]
        members = rest.get(f"{BASE}/pools/{segment(pool)}/stats/")["members"] if pool is not None else []
    except RestError as error:
        if error.status == 404:
            return 0
        raise
    return sum(each["active_connections"] for each in members if each["id"] == member)


def wait(
    rest: RestClient,
    members: Sequence[str],
    timeout_s: float | None,
    tell: Callable[[str], object],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Returns once no member has connections in use. tell: called with their number repeatedly.

    Raises ScriptError after timeout_s.
    """
    start = clock()
    while True:
        now = {member: open_connections(rest, member) for member in members}
        words = ", ".join(f"{member} {count}" for member, count in now.items() if count)
        if not words:
            return
        if timeout_s is not None and clock() - start >= timeout_s:
            raise ScriptError(f"after {timeout_s:g} s connections are still open: {words}")
        tell(f"open connections: {words}")
        sleep(_PAUSE_S)
