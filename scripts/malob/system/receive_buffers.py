"""The buffers in which packets wait until ovs-vswitchd reads them.

Linux gives a port of the userspace datapath 208 kB, three segments of 64 kB. A switch that has to share its cores does
not read for some milliseconds at a time, and then loses whatever else arrives, such as the SYN-ACK of a new connection.
"""

from __future__ import annotations

import ctypes
import os
import socket
from contextlib import suppress
from pathlib import Path

#: 15 ms at 1 Gbit/s. Linux doubles it, for what it needs beside the packets.
_BYTES = 2 * 1024 * 1024
_SO_RCVBUFFORCE = 33
_PIDFD_GETFD = 438


def enlarge(pid: int) -> int:
    """Gives each port of this process the larger buffer, and returns the number of ports.

    Zero if the ports are in the kernel's datapath, or if the kernel does not permit it (before Linux 5.6).
    """
    enlarged = 0
    with suppress(OSError):
        process = os.pidfd_open(pid)
        try:
            for file in _sockets(pid):
                # descriptors may be closed meanwhile
                with suppress(OSError), _duplicate(process, file) as duplicate:
                    if duplicate.family == socket.AF_PACKET:
                        duplicate.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BYTES)
                        enlarged += 1
        finally:
            os.close(process)
    return enlarged


def _sockets(pid: int) -> list[int]:
    return [int(file.name) for file in Path(f"/proc/{pid}/fd").iterdir() if _target(file).startswith("socket:")]


def _target(file: Path) -> str:
    with suppress(OSError):
        return os.readlink(file)
    return ""


def _duplicate(process: int, file: int) -> socket.socket:
    """Both descriptors are of the same socket."""
    duplicate = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, process, file, 0)
    if duplicate < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return socket.socket(fileno=duplicate)
