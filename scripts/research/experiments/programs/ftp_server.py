"""Serves the files of a directory by anonymous FTP, read only; run as a program on an emulated host.

`ftp_server.py NAME DIRECTORY PORT` greets with its name. Needs pyftpdlib, and nothing else of MALOB.
"""

from __future__ import annotations

import logging
import sys

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer


def main() -> None:
    name, directory, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    logging.basicConfig(level=logging.WARNING)
    authorizer = DummyAuthorizer()
    authorizer.add_anonymous(directory)

    class Handler(FTPHandler):
        pass

    Handler.authorizer = authorizer
    Handler.banner = name
    FTPServer(("0.0.0.0", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
