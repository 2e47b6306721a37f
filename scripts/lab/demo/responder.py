"""A small server that answers each request with its name; run as a program on an emulated host.

`responder.py NAME --http PORT ... --udp PORT ...` listens on all addresses of both families until it is ended. HTTP: a 200
whose body is the name, then the connection is closed. UDP: the name and the received datagram. Uses only the standard library
and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import argparse
import asyncio
import typing

_LONGEST_REQUEST = 16 * 1024


async def _answer_http(name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), timeout=10)
        body = f"{name}\n".encode()
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
            + f"Content-Length: {len(body)}\r\nServer: {name}\r\n\r\n".encode()
            + body
        )
        await writer.drain()
    except (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError):
        pass
    finally:
        writer.close()


class _UdpAnswer(asyncio.DatagramProtocol):
    def __init__(self, name: str) -> None:
        self._name = name.encode()
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # asyncio's datagram transports are not instances of DatagramTransport
        self._transport = typing.cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        assert self._transport is not None
        self._transport.sendto(self._name + b" " + data, address)


async def _serve(name: str, http_ports: list[int], udp_ports: list[int]) -> None:
    loop = asyncio.get_running_loop()
    for port in http_ports:
        await asyncio.start_server(lambda reader, writer: _answer_http(name, reader, writer), None, port, backlog=1024, limit=_LONGEST_REQUEST)
    for port in udp_ports:
        await loop.create_datagram_endpoint(lambda: _UdpAnswer(name), local_addr=("::", port))
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="Answers every request with its name.")
    parser.add_argument("name")
    parser.add_argument("--http", type=int, nargs="*", default=[], metavar="PORT")
    parser.add_argument("--udp", type=int, nargs="*", default=[], metavar="PORT")
    options = parser.parse_args()
    asyncio.run(_serve(options.name, options.http, options.udp))


if __name__ == "__main__":
    main()
