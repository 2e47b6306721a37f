"""Announces a router's address by gratuitous ARP, or an unsolicited neighbour advertisement: announce.py DEVICE ADDRESS.

Standard library only; run as a program in a namespace.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from pathlib import Path
from typing import Callable

_ETH_ARP = 0x0806
_TIMES, _PAUSE_S = 3, 0.05
_ADVERTISEMENT, _TARGET_LINK_ADDRESS = 136, 2
_ROUTER, _OVERRIDE = 1 << 31, 1 << 29
_ALL_NODES = "ff02::1"


def _repeat(send: Callable[[], object]) -> None:
    for _ in range(_TIMES):
        send()
        time.sleep(_PAUSE_S)


def _by_arp(device: str, mac: bytes, address: str) -> None:
    own = socket.inet_aton(address)
    frame = b"\xff" * 6 + mac + struct.pack("!H", _ETH_ARP) + struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + mac + own + bytes(6) + own
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((device, 0))
        _repeat(lambda: out.send(frame))


def _by_advertisement(device: str, mac: bytes, address: str) -> None:
    """The kernel computes the checksum."""
    own = socket.inet_pton(socket.AF_INET6, address)
    message = struct.pack("!BBHI", _ADVERTISEMENT, 0, 0, _ROUTER | _OVERRIDE) + own + bytes([_TARGET_LINK_ADDRESS, 1]) + mac
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as out:
        out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, socket.if_nametoindex(device))
        out.bind((address, 0))
        _repeat(lambda: out.sendto(message, (_ALL_NODES, 0)))


def main(device: str, address: str) -> None:
    mac = bytes.fromhex(Path(f"/sys/class/net/{device}/address").read_text().strip().replace(":", ""))
    (_by_advertisement if ":" in address else _by_arp)(device, mac, address)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
