"""Cross traffic: UDP packets at a mean rate, at random times (Poisson). Needs nothing but Python.

usage: crosstraffic.py OWN_ADDRESS PEER_ADDRESS PORT MBPS      sends until it is ended; received packets are dropped
"""

import random
import socket
import sys
import time

#: The size of an IP packet that fills an Ethernet frame.
PACKET_BYTES = 1500
HEADERS_BYTES = 28

#: The max time that is caught up after a stall.
MAX_LATE_S = 0.02


def send(own: str, peer: str, port: int, mbps: float) -> None:
    payload = bytes(PACKET_BYTES - HEADERS_BYTES)
    mean_s = PACKET_BYTES * 8 / (mbps * 1e6)
    chance = random.Random(f"{own} {peer}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        # bound so that the kernel does not answer the peer's packets with ICMP errors; they are never read
        sender.bind((own, port))
        sender.connect((peer, port))
        due = time.monotonic()
        while True:
            now = time.monotonic()
            due = max(due, now - MAX_LATE_S)
            while due <= now:
                try:
                    sender.send(payload)
                except OSError:
                    pass  # the device's queue is full: the packet is lost
                due += chance.expovariate(1 / mean_s)
            time.sleep(due - now)


if __name__ == "__main__":
    send(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
