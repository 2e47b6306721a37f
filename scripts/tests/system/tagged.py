"""Sends and receives frames with VLAN tags on eth0; run as a program on an emulated host.

`tagged.py send SOURCE_MAC TARGET_MAC VLAN SIZE` sends one, with so many bytes after its tag.
`tagged.py receive SOURCE_MAC COUNT` prints "ready", and then [VLAN, SIZE] of so many from there, as they come.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import json
import socket
import struct
import sys

_ETH_P_ALL = 0x0003
_EXPERIMENTAL = 0x88B6
_DEVICE = "eth0"

#: Of packet(7): the kernel takes the tag out of a frame, and tells it beside it.
_SOL_PACKET, _PACKET_AUXDATA = 263, 8
_AUXDATA = struct.Struct("IIIHHHH")
_VLAN_VALID = 1 << 4


def _bytes(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def _send(source: str, target: str, vlan: int, size: int) -> None:
    header = _bytes(target) + _bytes(source) + struct.pack("!HHH", 0x8100, vlan, _EXPERIMENTAL)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((_DEVICE, 0))
        out.send(header + bytes(size))


def _receive(source: str, count: int) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL)) as frames:
        frames.setsockopt(_SOL_PACKET, _PACKET_AUXDATA, 1)
        frames.bind((_DEVICE, _ETH_P_ALL))
        frames.settimeout(10)
        print("ready", flush=True)
        while count:
            frame, beside, _, _ = frames.recvmsg(2048, 64)
            if frame[6:12] == _bytes(source):
                print(json.dumps([_vlan(beside), len(frame) - 14]), flush=True)
                count -= 1


def _vlan(beside: list[tuple[int, int, bytes]]) -> int | None:
    for level, kind, data in beside:
        if (level, kind) == (_SOL_PACKET, _PACKET_AUXDATA):
            status, _, _, _, _, tag, _ = _AUXDATA.unpack(data[: _AUXDATA.size])
            return tag & 0xFFF if status & _VLAN_VALID else None
    return None


if __name__ == "__main__":
    if sys.argv[1] == "send":
        _send(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        _receive(sys.argv[2], int(sys.argv[3]))
