"""Replaces itself by nginx, with a socket for MPTCP that nginx could not open itself.

usage: web_server.py CONFIGURATION LOG PORT

nginx inherits sockets whose numbers are in the environment variable NGINX, as in its upgrade of the binary; the configuration
must contain `listen PORT`. Uses only the standard library and no other MALOB module: it is started by its path.
"""

import os
import socket
import sys

_MPTCP = 262


def main() -> None:
    configuration, log, port = sys.argv[1:]
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, _MPTCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("", int(port)))
    listening.listen(4096)
    listening.set_inheritable(True)
    os.environ["NGINX"] = f"{listening.fileno()};"
    os.execvp("nginx", ["nginx", "-e", log, "-c", configuration])


if __name__ == "__main__":
    main()
