"""An HTTP/1.1 server that answers with its name; run as a program on an emulated host.

`server.py NAME PORT...`: `GET /N` is answered with N bytes, the name and a blank repeatedly. Connections stay open until the
client closes them. Listens on all addresses of both families.
Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import asyncio
import sys

_CHUNK = 64 * 1024


async def _serve(name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    pattern = f"{name} ".encode()
    try:
        while True:
            request = await reader.readuntil(b"\r\n\r\n")
            count = int(request.split(b" ", 2)[1].lstrip(b"/"))
            writer.write(f"HTTP/1.1 200 OK\r\nServer: {name}\r\nContent-Length: {count}\r\n\r\n".encode())
            for sent in range(0, count, _CHUNK):
                length = min(_CHUNK, count - sent)
                start = sent % len(pattern)
                writer.write((pattern * (length // len(pattern) + 2))[start : start + length])
                await writer.drain()
    except (OSError, EOFError, ValueError):
        pass
    finally:
        writer.close()


async def _main(name: str, ports: list[int]) -> None:
    for port in ports:
        await asyncio.start_server(lambda reader, writer: _serve(name, reader, writer), None, port, backlog=1024)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], [int(port) for port in sys.argv[2:]]))
