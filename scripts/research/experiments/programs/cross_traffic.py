"""Cross traffic to neighbours, and from them; run as a program on each node of a lab.

`cross_traffic.py PORT SEED ADDRESS=MBPS...`: for 1.5 to 4.5 seconds at a time, each neighbour gets a random part of its
rate (0, 20 or 40 %) in full UDP packets at random times (Poisson). Rates are of IP packets. Sends until it is ended.
Standard library only, and nothing else of MALOB: it is started by its path.
"""

from __future__ import annotations

import random
import socket
import sys
import threading
import time

PARTS = (0.0, 0.2, 0.4)
SHORTEST_S, LONGEST_S = 1.5, 4.5
_PACKET_BYTES, _HEADER_BYTES = 1500, 28

#: The max time that is caught up after a stall.
_MAX_LATE_S = 0.1


def send(address: str, port: int, mbps: float, seed: str) -> None:
    chance = random.Random(f"{seed}/{address}")
    payload = bytes(_PACKET_BYTES - _HEADER_BYTES)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect((address, port))
        change = time.monotonic()
        while True:
            part, began = chance.choice(PARTS), change
            change = began + chance.uniform(SHORTEST_S, LONGEST_S)
            if part:
                _pace(sender, payload, part * mbps * 1e6 / (8 * _PACKET_BYTES), change, chance)
            time.sleep(max(0.0, change - time.monotonic()))


def _pace(sender: socket.socket, payload: bytes, per_s: float, until: float, chance: random.Random) -> None:
    due = time.monotonic()
    while due < until:
        now = time.monotonic()
        due = max(due, now - _MAX_LATE_S)
        while due <= now:
            try:
                sender.send(payload)
            except OSError:
                pass  # nothing listens there yet
            due += chance.expovariate(per_s)
        time.sleep(max(0.0, min(due, until) - time.monotonic()))


def main() -> None:
    port, seed = int(sys.argv[1]), sys.argv[2]
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.bind(("", port))
    for target in sys.argv[3:]:
        address, _, mbps = target.partition("=")
        threading.Thread(target=send, args=(address, port, float(mbps), seed), daemon=True).start()
    block = bytearray(2048)
    while True:
        taken.recv_into(block)


if __name__ == "__main__":
    main()
