"""Measures connect(): opens and closes connections one after the other, prints microseconds.

Runs on an emulated host: connecting.py ADDRESS PORT COUNT; one line per connection.
"""

import socket
import sys
import time


def main() -> None:
    address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for _ in range(count):
        with socket.socket() as connection:
            connection.settimeout(10)
            began = time.perf_counter()
            connection.connect((address, port))
            print(round(1e6 * (time.perf_counter() - began)))
        # a pause, so that the end of one connection does not delay the next
        time.sleep(0.005)


if __name__ == "__main__":
    main()
