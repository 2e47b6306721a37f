"""Connections of many clients, and connections that stay open; run as a program in a namespace.

`load.py serve PORT` serves the kinds of load.py hold, on all addresses; it prints "ready".
`load.py each ADDRESS PORT --rate R FROM…` makes an HTTP request from each address once, with --upload BYTES. FROM: an address, or
FIRST+COUNT.
`load.py hold ADDRESS PORT --kinds KIND… --rate R --http PORT --from FROM…` holds a connection of each kind (download, upload, asks, told),
and meanwhile makes R requests per second from these addresses, in turns, until its standard input ends.
Both print "ready" and one line of JSON in the end, which loads.py explains. Standard library only.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import ipaddress
import json
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count, cycle
from typing import Any

_PATIENCE_S = 10.0
_BLOCK, _PAUSE_S, _QUIET_S = 512, 0.02, 0.5
_KINDS = ("download", "upload", "asks", "told")


async def _serve(port: int) -> None:
    await asyncio.start_server(_answer, None, port, backlog=2048)
    print("ready", flush=True)
    await asyncio.Event().wait()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The first line is a kind, or the beginning of an HTTP request, of which SIZE bytes in the path are the answer."""
    try:
        first = (await reader.readline()).decode("ascii").split()
        if first[:1] == ["GET"]:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(_body_size(head))
            size = int(first[1].strip("/") or "2")
            writer.write(f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n".encode() + bytes(size))
            await writer.drain()
        elif first[0] in ("download", "told"):
            await _send(writer, _PAUSE_S if first[0] == "download" else _QUIET_S)
        elif first[0] == "upload":
            await _receive(reader, Gaps(), writer)
        else:
            while block := await reader.readexactly(_BLOCK):
                writer.write(block)
                await writer.drain()
    except (OSError, EOFError, IndexError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def _body_size(head: bytes) -> int:
    lines = head.decode("ascii").lower().splitlines()
    return next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)


async def _send(writer: asyncio.StreamWriter, pause_s: float) -> None:
    for number in count():
        writer.write(_block(number))
        await writer.drain()
        await asyncio.sleep(pause_s)


def _block(number: int) -> bytes:
    return struct.pack("!Q", number) * (_BLOCK // 8)


class Gaps:
    """The longest time between two events."""

    def __init__(self) -> None:
        self.last, self.longest_s, self.events = time.monotonic(), 0.0, 0

    def event(self) -> None:
        now = time.monotonic()
        self.longest_s, self.last, self.events = max(self.longest_s, now - self.last), now, self.events + 1


async def _receive(reader: asyncio.StreamReader, gaps: Gaps, answer: asyncio.StreamWriter | None = None) -> None:
    """Raises ValueError if a block is not the next one. answer: gets eight bytes for each."""
    for number in count():
        if await reader.readexactly(_BLOCK) != _block(number):
            raise ValueError("wrong data")
        gaps.event()
        if answer is not None:
            answer.write(struct.pack("!Q", number))


async def _hold(kind: str, source: str, address: str, port: int, held: dict[str, Any], gaps: Gaps) -> None:
    """held: gets the error, if there is one."""
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(address, port, local_addr=(source, 0)), _PATIENCE_S)
        writer.write(f"{kind}\n".encode())
        gaps.event()
        if kind in ("download", "told"):
            await _receive(reader, gaps)
        elif kind == "upload":
            await asyncio.gather(_send(writer, _PAUSE_S), _acknowledged(reader, gaps))
        else:
            for number in count():
                writer.write(_block(number))
                if await reader.readexactly(_BLOCK) != _block(number):
                    raise ValueError("wrong data")
                gaps.event()
                await asyncio.sleep(_QUIET_S)
    except asyncio.CancelledError:
        raise
    except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
        held["error"] = f"{type(error).__name__}: {error}"
        held["ended"] = time.monotonic()


async def _acknowledged(reader: asyncio.StreamReader, gaps: Gaps) -> None:
    while await reader.readexactly(8):
        gaps.event()


async def _request(source: str, address: str, port: int, size: int, upload: int = 0) -> dict[str, Any]:
    began = time.monotonic()
    result: dict[str, Any] = {"began": began, "source": source}
    try:
        result["bytes"] = await asyncio.wait_for(_get(source, address, port, size, upload, result), _PATIENCE_S)
    except asyncio.TimeoutError:
        result["error"] = "no answer" if "connect_s" in result else "no connection"
    except (OSError, EOFError) as error:
        number = getattr(error, "errno", None)
        result["error"] = errno.errorcode.get(number or 0) or f"{type(error).__name__}: {error}"
    result["s"] = time.monotonic() - began
    return result


async def _get(source: str, address: str, port: int, size: int, upload: int, result: dict[str, Any]) -> int:
    began = time.monotonic()
    reader, writer = await asyncio.open_connection(address, port, local_addr=(source, 0))
    result["connect_s"] = time.monotonic() - began
    try:
        writer.write(f"GET /{size} HTTP/1.1\r\nHost: malob\r\nConnection: close\r\nContent-Length: {upload}\r\n\r\n".encode() + bytes(upload))
        head, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
    finally:
        writer.close()
    if b" 200 " not in head or (size and len(body) != size):
        raise EOFError(f"{len(body)} bytes")
    return len(body)


def _addresses(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        first, _, many = word.partition("+")
        # the host part of ClientNetwork.address(): 250 to a /24
        for index in range(int(many or "1")):
            yield _nth(first, index)


def _nth(first: str, index: int) -> str:
    address = ipaddress.ip_address(first)
    if address.version == 6:
        return str(address + index)
    low = int(address) & 0xFF
    index += low - 1
    return str(ipaddress.ip_address((int(address) & ~0xFF) + 256 * (index // 250) + index % 250 + 1))


async def _each(options: argparse.Namespace) -> None:
    print("ready", flush=True)
    began = time.monotonic()
    tasks = []
    for number, source in enumerate(_addresses(options.sources)):
        await asyncio.sleep(max(0.0, began + number / options.rate - time.monotonic()))
        tasks.append(asyncio.create_task(_request(source, options.address, options.port, options.size, options.upload)))
    print(json.dumps({"requests": await asyncio.gather(*tasks)}))


async def _hold_all(options: argparse.Namespace) -> None:
    sources = cycle(list(_addresses(options.sources)))
    held = [{"kind": kind} for kind in options.kinds]
    gaps = [Gaps() for _ in held]
    streams = [asyncio.create_task(_hold(each["kind"], next(sources), options.address, options.port, each, gap)) for each, gap in zip(held, gaps)]
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline and not all(gap.events > 1 or "error" in each for gap, each in zip(gaps, held)):
        await asyncio.sleep(0.02)
    for gap in gaps:
        gap.longest_s = 0.0
    print("ready", flush=True)
    over = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    began, tasks = time.monotonic(), []
    for number in count():
        if over.done():
            break
        if options.rate:
            tasks.append(asyncio.create_task(_request(next(sources), options.address, options.http or options.port, options.size)))
        await asyncio.sleep(max(0.0, began + (number + 1) / (options.rate or 50) - time.monotonic()))
    requests = await asyncio.gather(*tasks)
    now = time.monotonic()
    for each, gap, stream in zip(held, gaps, streams):
        silent_s = 0.0 if "error" in each else now - gap.last
        each.update(longest_s=max(gap.longest_s, silent_s), silent_s=silent_s, events=gap.events)
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    print(json.dumps({"held": held, "requests": requests}))


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    serve = commands.add_parser("serve")
    serve.add_argument("port", type=int)
    serve.set_defaults(run=lambda options: _serve(options.port))
    for name, run in (("each", _each), ("hold", _hold_all)):
        command = commands.add_parser(name)
        command.add_argument("address")
        command.add_argument("port", type=int)
        command.add_argument("--rate", type=float, default=100)
        command.add_argument("--size", type=int, default=2)
        command.add_argument("--upload", type=int, default=0)
        command.add_argument("--http", type=int, default=0)
        command.add_argument("--kinds", nargs="*", choices=_KINDS, default=[])
        command.add_argument("--from", dest="sources", nargs="+", required=True)
        command.set_defaults(run=run)
    options = parser.parse_args()
    asyncio.run(options.run(options))


if __name__ == "__main__":
    main()
