"""One TCP connection that sends as much as possible; both ends. Needs only Python.

usage: stream.py send ADDRESS PORT SECONDS
       stream.py receive ADDRESS PORT WARM_UP_S    prints "listens", and at the end the Mbit/s after WARM_UP_S
"""

import socket
import sys
import time


def send(address: str, port: int, seconds: float) -> None:
    block = bytes(64 * 1024)
    with socket.create_connection((address, port), 10) as connection:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            connection.send(block)


def receive(address: str, port: int, warm_up_s: float) -> None:
    block = bytearray(256 * 1024)
    with socket.create_server((address, port)) as listening:
        listening.settimeout(30)
        print("listens", flush=True)
        connection, _ = listening.accept()
    with connection:
        warm = time.monotonic() + warm_up_s
        began = ended = 0.0
        count = 0
        while size := connection.recv_into(block):
            ended = time.monotonic()
            if began:
                count += size
            elif ended >= warm:
                began = ended
    print(count * 8 / 1e6 / (ended - began))


if __name__ == "__main__":
    {"send": send, "receive": receive}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
