"""Announces an address by gratuitous ARP: announce.py DEVICE ADDRESS. Standard library only; run as a program in a namespace."""

from __future__ import annotations

import socket
import struct
import sys
import time
from pathlib import Path

_ETH_ARP = 0x0806
_TIMES, _PAUSE_S = 3, 0.05


def main(device: str, address: str) -> None:
    mac = bytes.fromhex(Path(f"/sys/class/net/{device}/address").read_text().strip().replace(":", ""))
    own = socket.inet_aton(address)
    frame = b"\xff" * 6 + mac + struct.pack("!H", _ETH_ARP) + struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + mac + own + bytes(6) + own
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((device, 0))
        for _ in range(_TIMES):
            out.send(frame)
            time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
