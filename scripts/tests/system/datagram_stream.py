"""Sends datagrams from one port, as many per second as given, until its input ends. Prints a line for each answer: when it came, and its text.

Arguments: ADDRESS PORT LOCAL_PORT RATE.
"""

import select
import socket
import sys
import time


def main(address: str, port: int, local_port: int, rate: float) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sender:
        sender.bind(("", local_port))
        sender.connect((address, port))
        due = time.monotonic()
        while True:
            readable = select.select([sender, sys.stdin], [], [], max(0.0, due - time.monotonic()))[0]
            if sys.stdin in readable:
                return
            if sender in readable:
                try:
                    print(time.monotonic(), sender.recv(2000).decode(), flush=True)
                except ConnectionRefusedError:
                    pass  # the member's port is closed
            if time.monotonic() >= due:
                due += 1 / rate
                sender.send(b"datagram")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
