"""Traffic that partly fills uplinks, from a server to a host; both ends, run as programs by their path. Standard library only.

usage: half_load.py take PORT                          on the host: receives traffic over TCP and UDP
       half_load.py udp PORT ADDRESS=MBPS...           on the server: full packets at random times (Poisson)
       half_load.py tcp PORT ADDRESS=MBPS...           on the server: blocks of ten packets at random times, a connection to
       each

Sends until it is ended. The mean rate is of IP packets; a connection that cannot keep up sends less.
"""

import random
import socket
import sys
import threading
import time

_PACKET_BYTES = 1500
_UDP_HEADERS_BYTES, _TCP_HEADERS_BYTES = 28, 52
_BLOCK_PACKETS = 10

#: The max time that is caught up after a stall.
_MAX_LATE_S = 0.1


def take(port: int) -> None:
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("", port))
    threading.Thread(target=_drain, args=(datagrams,), daemon=True).start()
    with socket.create_server(("", port)) as listening:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_drain, args=(connection,), daemon=True).start()


def _drain(taken: socket.socket) -> None:
    block = bytearray(256 * 1024)
    with taken:
        while taken.recv_into(block) or taken.type == socket.SOCK_DGRAM:
            pass


def send(kind: str, address: str, port: int, mbps: float) -> None:
    """Returns when the other end has closed."""
    is_tcp = kind == "tcp"
    headers, packets = (_TCP_HEADERS_BYTES, _BLOCK_PACKETS) if is_tcp else (_UDP_HEADERS_BYTES, 1)
    payload = bytes((_PACKET_BYTES - headers) * packets)
    mean_s = _PACKET_BYTES * packets * 8 / (mbps * 1e6)
    chance = random.Random(address)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM if is_tcp else socket.SOCK_DGRAM) as sender:
        sender.connect((address, port))
        due = time.monotonic()
        while True:
            now = time.monotonic()
            due = max(due, now - _MAX_LATE_S)
            while due <= now:
                try:
                    sender.sendall(payload)
                except (ConnectionError, TimeoutError):
                    if is_tcp:
                        return
                due += chance.expovariate(1 / mean_s)
            time.sleep(max(0.0, due - time.monotonic()))


def main() -> None:
    kind, port = sys.argv[1], int(sys.argv[2])
    if kind == "take":
        take(port)
    targets = [target.split("=") for target in sys.argv[3:]]
    threads = [threading.Thread(target=send, args=(kind, address, port, float(mbps))) for address, mbps in targets]
    for thread in threads:
        thread.start()


if __name__ == "__main__":
    main()
