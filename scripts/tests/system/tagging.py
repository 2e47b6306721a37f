"""Tags frames in user space, where the kernel has no VLAN devices; run as a program on an emulated host.

`tagging.py VLAN ADDRESS` makes a TAP device eth0.VLAN with eth0's own hardware address, moves the address there from eth0,
prints "ready", and carries frames between the two, with a tag on eth0. The device goes with this program.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
from pathlib import Path

_ETH_P_ALL, _ETH_P_8021Q = 0x0003, 0x8100
_LONGEST = 2000

#: Of linux/if_tun.h
_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000

#: Of packet(7): the kernel takes the tag out of a frame, and tells it beside it.
_SOL_PACKET, _PACKET_AUXDATA = 263, 8
_AUXDATA = struct.Struct("IIIHHHH")
_VLAN_VALID = 1 << 4


def main(vlan: int, address: str) -> None:
    tap = _tap(f"eth0.{vlan}", address)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL)) as wire:
        wire.setsockopt(_SOL_PACKET, _PACKET_AUXDATA, 1)
        wire.bind(("eth0", _ETH_P_ALL))
        print("ready", flush=True)
        while True:
            readable, _, _ = select.select([tap, wire.fileno()], [], [])
            if tap in readable:
                frame = os.read(tap, _LONGEST)
                wire.send(frame[:12] + struct.pack("!HH", _ETH_P_8021Q, vlan) + frame[12:])
            if wire.fileno() in readable:
                frame, beside, _, (_, _, kind, *_) = wire.recvmsg(_LONGEST, 64)
                if kind != socket.PACKET_OUTGOING and _vlan(beside) == vlan:
                    os.write(tap, frame)


def _tap(name: str, address: str) -> int:
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI))
    hardware = Path("/sys/class/net/eth0/address").read_text().strip()
    for command in (
        f"ip link set {name} address {hardware}",
        f"ethtool -K {name} tx off",
        f"ip link set {name} up",
        "ip addr flush dev eth0",
        f"ip addr add {address} dev {name}",
    ):
        subprocess.run(command.split(), check=True, stdout=subprocess.DEVNULL)
    return tap


def _vlan(beside: list[tuple[int, int, bytes]]) -> int | None:
    for level, kind, data in beside:
        if (level, kind) == (_SOL_PACKET, _PACKET_AUXDATA):
            status, _, _, _, _, tag, _ = _AUXDATA.unpack(data[: _AUXDATA.size])
            return tag & 0xFFF if status & _VLAN_VALID else None
    return None


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
