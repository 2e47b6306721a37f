"""Sends an ICMPv6 Packet Too Big (RFC 4443); run as a program on an emulated host.

`too_big.py TO MTU SOURCE SOURCE_PORT DESTINATION DESTINATION_PORT` tells TO that its datagram with these ends exceeds
the MTU. The kernel computes the checksum. Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import socket
import struct
import sys

_TOO_BIG = 2


def _quote(source: str, source_port: int, destination: str, destination_port: int) -> bytes:
    """The beginning of a datagram; its checksum is wrong, but receivers of the error cannot check it."""
    payload = bytes(1400)
    datagram = struct.pack("!HHHH", source_port, destination_port, 8 + len(payload), 0x1234) + payload
    ends = socket.inet_pton(socket.AF_INET6, source) + socket.inet_pton(socket.AF_INET6, destination)
    return (struct.pack("!IHBB", 6 << 28, len(datagram), socket.IPPROTO_UDP, 64) + ends + datagram)[:1232]


def main() -> None:
    to, mtu, source, source_port, destination, destination_port = sys.argv[1:]
    quote = _quote(source, int(source_port), destination, int(destination_port))
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as out:
        out.sendto(struct.pack("!BBHI", _TOO_BIG, 0, 0, int(mtu)) + quote, (to, 0))


if __name__ == "__main__":
    main()
