"""Makes connections one after the other, to the addresses in turn; run by its path on an emulated host.

visiting.py ADDRESS[,ADDRESS...] PORT COUNT BYTES: gets /page of this size over each, or nothing if BYTES is 0. Prints
a line per connection: the microseconds of connect(), and those from its beginning to the last byte; or "failed" and the
reason.
"""

import socket
import sys
import time

_PATIENCE_S = 10
#: so that the end of one connection does not delay the next
_PAUSE_S = 0.005
_REQUEST = b"GET /page HTTP/1.0\r\nHost: page\r\n\r\n"


def visit(address: str, port: int, size: int) -> tuple[int, int]:
    """The microseconds of connect() and in total. Raises OSError."""
    with socket.socket() as connection:
        connection.settimeout(_PATIENCE_S)
        began = time.perf_counter()
        connection.connect((address, port))
        connected = time.perf_counter()
        if size:
            connection.sendall(_REQUEST)
            received = bytearray()
            while block := connection.recv(1 << 16):
                received += block
            body = len(received.partition(b"\r\n\r\n")[2])
            if body != size:
                raise OSError(f"{body} bytes came instead of {size}")
        ended = time.perf_counter()
    return round(1e6 * (connected - began)), round(1e6 * (ended - began))


def main() -> None:
    addresses, port, count, size = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    for number in range(count):
        try:
            print(*visit(addresses[number % len(addresses)], port, size), flush=True)
        except OSError as error:
            print("failed", error, flush=True)
        time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main()
