"""Sends and counts frames on eth0; run as a program on an emulated host.

`frames.py send SENDER_MAC SENDER_IP TARGET_IP` broadcasts one ARP request.
`frames.py flood TARGET_IP PORT --seconds N [--rate N]` sends TCP SYNs from random addresses, so many per second or as fast as it
can, and prints how many.
`frames.py count TARGET_IP --seconds N` prints "ready", and then how many for that target came in.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import random
import socket
import struct
import sys
import time

_ETH_ARP = 0x0806
_ETH_IPV4 = 0x0800
_DEVICE = "eth0"
#: sources that nobody has: 11.0.0.0/8
_FORGED = 0x0B000000
_SYN = 2


def _request(mac: bytes, sender: bytes, target: bytes) -> bytes:
    ethernet = b"\xff" * 6 + mac + struct.pack("!H", _ETH_ARP)
    return ethernet + struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + mac + sender + bytes(6) + target


def _send(mac: str, sender: str, target: str) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((_DEVICE, 0))
        out.send(_request(bytes.fromhex(mac.replace(":", "")), socket.inet_aton(sender), socket.inet_aton(target)))


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


def _count(target: str, seconds: float) -> int:
    wanted = socket.inet_aton(target)
    found = 0
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_ARP)) as source:
        source.bind((_DEVICE, _ETH_ARP))
        print("ready", flush=True)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            source.settimeout(left)
            try:
                frame, (_, _, kind, *_) = source.recvfrom(2048)
            except socket.timeout:
                break
            # what this host sends itself comes by here too
            if kind != socket.PACKET_OUTGOING and frame[20:22] == b"\0\1" and frame[38:42] == wanted:
                found += 1
    return found


if __name__ == "__main__":
    if sys.argv[1] == "send":
        _send(*sys.argv[2:5])
    elif sys.argv[1] == "flood":
        print(_flood(sys.argv[2], int(sys.argv[3]), *(float(number) for number in sys.argv[5::2])))
    else:
        print(_count(sys.argv[2], float(sys.argv[4])))
