"""Sends and counts frames on eth0; run as a program on an emulated host.

`frames.py send SENDER_MAC SENDER_IP TARGET_IP` broadcasts one ARP request.
`frames.py count TARGET_IP --seconds N` prints "ready", and then how many for that target came in.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import socket
import struct
import sys
import time

_ETH_ARP = 0x0806
_DEVICE = "eth0"


def _request(mac: bytes, sender: bytes, target: bytes) -> bytes:
    ethernet = b"\xff" * 6 + mac + struct.pack("!H", _ETH_ARP)
    return ethernet + struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + mac + sender + bytes(6) + target


def _send(mac: str, sender: str, target: str) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((_DEVICE, 0))
        out.send(_request(bytes.fromhex(mac.replace(":", "")), socket.inet_aton(sender), socket.inet_aton(target)))


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
    else:
        print(_count(sys.argv[2], float(sys.argv[4])))
