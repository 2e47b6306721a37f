"""Counts frames on a device by their addresses; run as a program in a namespace.

`capture.py DEVICE` prints "ready", and when its standard input ends, one line of JSON: an object for each kind of frame with
the fields out, vlan, src, dst, type, and where it is IP, proto, ip_src, ip_dst, port_src, port_dst; and its count.
Ports above 32767 count as 0, and fragments and others without ports, too. Standard library only.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
from collections import Counter
from typing import Any

_ETH_P_ALL = 0x0003
_IPV4, _IPV6, _VLAN = 0x0800, 0x86DD, 0x8100
_WITH_PORTS = (socket.IPPROTO_TCP, socket.IPPROTO_UDP)
_EPHEMERAL = 32768
#: Of packet(7): the kernel takes the tag out of a frame, and tells it beside it.
_SOL_PACKET, _PACKET_AUXDATA = 263, 8
_AUXDATA = struct.Struct("IIIHHHH")
_VLAN_VALID = 1 << 4
_NAMES = ("out", "vlan", "src", "dst", "type", "proto", "ip_src", "ip_dst", "port_src", "port_dst")


def _tag(beside: list[tuple[int, int, bytes]]) -> int:
    for level, kind, data in beside:
        if (level, kind) == (_SOL_PACKET, _PACKET_AUXDATA):
            status, _, _, _, _, tag, _ = _AUXDATA.unpack(data[: _AUXDATA.size])
            return tag & 0xFFF if status & _VLAN_VALID else 0
    return 0


def _kind(frame: bytes, vlan: int, out: bool) -> tuple[Any, ...]:
    at = 12
    if frame[at : at + 2] == struct.pack("!H", _VLAN):
        vlan, at = struct.unpack_from("!H", frame, at + 2)[0] & 0xFFF, at + 4
    kind = struct.unpack_from("!H", frame, at)[0]
    ethernet = (out, vlan, frame[6:12].hex(":"), frame[:6].hex(":"), f"{kind:04x}")
    packet = frame[at + 2 :]
    if kind == _IPV4 and len(packet) >= 20:
        size, proto = 4 * (packet[0] & 15), packet[9]
        ends = (socket.inet_ntoa(packet[12:16]), socket.inet_ntoa(packet[16:20]))
        first = not struct.unpack_from("!H", packet, 6)[0] & 0x1FFF
    elif kind == _IPV6 and len(packet) >= 40:
        size, proto, first = 40, packet[6], True
        ends = (socket.inet_ntop(socket.AF_INET6, packet[8:24]), socket.inet_ntop(socket.AF_INET6, packet[24:40]))
    else:
        return (*ethernet, 0, "", "", 0, 0)
    ports = struct.unpack_from("!HH", packet, size) if first and proto in _WITH_PORTS and len(packet) >= size + 4 else (0, 0)
    return (*ethernet, proto, *ends, *(port if port < _EPHEMERAL else 0 for port in ports))


def main(device: str) -> None:
    found: Counter[tuple[Any, ...]] = Counter()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL)) as wire:
        wire.setsockopt(_SOL_PACKET, _PACKET_AUXDATA, 1)
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
        wire.bind((device, _ETH_P_ALL))
        print("ready", flush=True)
        while True:
            ready = select.select([wire, sys.stdin], [], [])[0]
            if wire in ready:
                frame, beside, _, (_, _, direction, *_) = wire.recvmsg(128, 64)
                found[_kind(frame, _tag(beside), direction == socket.PACKET_OUTGOING)] += 1
            elif sys.stdin in ready:
                break
    print(json.dumps([{**dict(zip(_NAMES, kind)), "count": count} for kind, count in found.items()]))


if __name__ == "__main__":
    main(sys.argv[1])
