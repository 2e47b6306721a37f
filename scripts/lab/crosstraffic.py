"""Cross traffic: UDP packets at a mean rate, at random times (Poisson). Needs nothing but Python.

usage: crosstraffic.py OWN_ADDRESS PORT PEER_ADDRESS=MBPS...    sends until it is ended; received packets are dropped
       crosstraffic.py --vary SEED OWN_ADDRESS PORT PEER_ADDRESS=MBPS...

With --vary, each peer gets a random part of its rate for 1.5 to 4.5 seconds, then another one.
"""

from __future__ import annotations

import argparse
import random
import socket
import threading
import time

#: The size of an IP packet that fills an Ethernet frame.
PACKET_BYTES = 1500
HEADERS_BYTES = 28

#: The parts of a rate, and how long each lasts.
PARTS = (0.0, 0.2, 0.4)
SHORTEST_S, LONGEST_S = 1.5, 4.5

#: The max time that is caught up after a stall.
MAX_LATE_S = 0.02


class Sender:
    """Sends to one peer."""

    def __init__(self, sender: socket.socket, peer: tuple[str, int], seed: str) -> None:
        self._sender = sender
        self._peer = peer
        self._chance = random.Random(seed)

    def vary(self, mbps: float) -> None:
        """Sends parts of a rate, forever."""
        until = time.monotonic()
        while True:
            part, until = self._chance.choice(PARTS), until + self._chance.uniform(SHORTEST_S, LONGEST_S)
            if part:
                self.send(part * mbps, until)
            time.sleep(max(0.0, until - time.monotonic()))

    def send(self, mbps: float, until: float = float("inf")) -> None:
        """Sends at a mean rate until then."""
        payload = bytes(PACKET_BYTES - HEADERS_BYTES)
        mean_s = PACKET_BYTES * 8 / (mbps * 1e6)
        due = time.monotonic()
        while due < until:
            now = time.monotonic()
            due = max(due, now - MAX_LATE_S)
            while due <= now:
                try:
                    self._sender.sendto(payload, self._peer)
                except OSError:
                    pass  # the device's queue is full: the packet is lost
                due += self._chance.expovariate(1 / mean_s)
            time.sleep(max(0.0, min(due, until) - time.monotonic()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Sends UDP packets at random times.")
    parser.add_argument("own")
    parser.add_argument("port", type=int)
    parser.add_argument("peers", nargs="+")
    parser.add_argument("--vary", metavar="SEED")
    options = parser.parse_args()
    # bound so that the kernel does not answer the peers' packets with ICMP errors; they are never read
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind((options.own, options.port))
        for peer in options.peers:
            address, _, mbps = peer.partition("=")
            sender = Sender(bound, (address, options.port), f"{options.vary or options.own} {address}")
            threading.Thread(target=sender.vary if options.vary else sender.send, args=(float(mbps),), daemon=True).start()
        threading.Event().wait()


if __name__ == "__main__":
    main()
