"""An FTP session; run as a program on an emulated host.

`ftp_client.py ADDRESS MODE --files N --bytes B --idle S`, MODE one of EPSV, PASV, PORT, EPRT: stores N files of B bytes
each, is silent for S seconds, and gets them back. Prints JSON: the server's greeting, how many files came back whole,
and the ends that the data connections had. Uses only the standard library and no other MALOB module: it is started by its path.
"""

from __future__ import annotations

import argparse
import ftplib
import io
import json
import random
import socket
import time
from typing import Any


class _Session(ftplib.FTP):
    """One that says which commands it uses, and remembers where its data connections went."""

    # without it, ftplib does not believe what PASV says
    trust_server_pasv_ipv4_address = True

    def __init__(self, address: str, mode: str) -> None:
        self._mode = mode
        self.peers: set[tuple[str, bool]] = set()
        super().__init__(address, timeout=20)
        self.login()
        self.set_pasv(mode in ("EPSV", "PASV"))

    def makepasv(self) -> tuple[str, int]:
        if self._mode == "EPSV":
            assert self.sock is not None
            return ftplib.parse229(self.sendcmd("EPSV"), self.sock.getpeername())
        return super().makepasv()

    def sendport(self, host: str, port: int) -> str:
        return self.sendeprt(host, port) if self._mode == "EPRT" else super().sendport(host, port)

    def ntransfercmd(self, cmd: str, rest: int | str | None = None) -> tuple[socket.socket, Any]:
        data, size = super().ntransfercmd(cmd, rest)
        address, port = data.getpeername()[:2]
        self.peers.add((address, port == 20))
        return data, size


def main() -> None:
    parser = argparse.ArgumentParser(description="Stores files and gets them back.")
    parser.add_argument("address")
    parser.add_argument("mode", choices=["EPSV", "PASV", "PORT", "EPRT"])
    parser.add_argument("--files", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=1_500_000)
    parser.add_argument("--idle", type=float, default=0)
    arguments = parser.parse_args()
    session = _Session(arguments.address, arguments.mode)
    contents = {f"{arguments.mode}{i}": random.Random(i).randbytes(arguments.bytes) for i in range(arguments.files)}
    for name, content in contents.items():
        session.storbinary(f"STOR {name}", io.BytesIO(content))
    time.sleep(arguments.idle)
    whole = 0
    for name, content in contents.items():
        copy = io.BytesIO()
        session.retrbinary(f"RETR {name}", copy.write)
        whole += copy.getvalue() == content
    greeting = session.getwelcome()
    session.quit()
    print(json.dumps({"server": greeting.split()[1], "whole": whole, "peers": sorted(session.peers)}))


if __name__ == "__main__":
    main()
