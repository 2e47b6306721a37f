"""Notices of the kernel: links, addresses, routes or rules have changed."""

from __future__ import annotations

import select
import socket
import time

#: From linux/rtnetlink.h: the groups of links, IPv4 addresses, routes and rules, and the same of IPv6.
_GROUPS = (1, 5, 7, 8, 9, 11, 19)
_SOL_NETLINK, _ADD_MEMBERSHIP = 270, 1

#: Changes come in bursts: the pause after which a burst is over, and the max time to wait for its end.
_QUIET_S, _PATIENCE_S = 0.05, 0.5


class Notices:
    """Reports that something has changed, but not what: receivers read the state themselves, so that no change is missed."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
        self._socket.setblocking(False)
        # one without a number of its own gets none
        self._socket.bind((0, 0))
        for group in _GROUPS:
            self._socket.setsockopt(_SOL_NETLINK, _ADD_MEMBERSHIP, group)

    def wait(self, timeout_s: float) -> bool:
        """Returns after a change, once no more come, or after timeout_s; whether there was one."""
        if not self._readable(timeout_s):
            return False
        deadline = time.monotonic() + _PATIENCE_S
        while self._readable(_QUIET_S) and time.monotonic() < deadline:
            self._drop()
        return True

    def _readable(self, timeout_s: float) -> bool:
        return bool(select.select([self._socket], [], [], timeout_s)[0])

    def _drop(self) -> None:
        try:
            self._socket.recv(1 << 16)
        except OSError:
            # too many at a time (ENOBUFS): there has been a change, which is all that we tell
            pass

    def close(self) -> None:
        self._socket.close()
