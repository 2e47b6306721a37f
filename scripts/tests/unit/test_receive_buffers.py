"""Ports of the userspace datapath get larger receive buffers; other sockets stay as they are."""

from __future__ import annotations

import os
import socket
import subprocess
import unittest

from malob.system import receive_buffers

_ENLARGED = 4 * 1024 * 1024


class EnlargeTest(unittest.TestCase):
    def test_only_packet_sockets_are_enlarged(self) -> None:
        try:
            port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        except PermissionError:
            self.skipTest("packet sockets need root")
        with port, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            before = _size(other)
            self.assertLess(_size(port), _ENLARGED)
            self.assertEqual(1, receive_buffers.enlarge(os.getpid()))
            self.assertEqual((_ENLARGED, before), (_size(port), _size(other)))

    def test_process_that_has_ended_has_no_ports(self) -> None:
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.assertEqual(0, receive_buffers.enlarge(ended.pid))


def _size(of: socket.socket) -> int:
    return of.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)


if __name__ == "__main__":
    unittest.main()
