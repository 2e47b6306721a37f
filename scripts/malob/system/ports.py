"""TCP ports on loopback."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def free_port() -> int:
    """A TCP port on loopback that is free at the moment."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """As many different ones."""
    with ExitStack() as probes:
        return [_bound(probes.enter_context(socket.socket())) for _ in range(count)]


def _bound(probe: socket.socket) -> int:
    probe.bind(("127.0.0.1", 0))
    return int(probe.getsockname()[1])


def port_is_free(port: int) -> bool:
    """Whether a TCP server could listen on the port, on loopback."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False
