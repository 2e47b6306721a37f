"""Becomes nginx, with a socket for MPTCP that nginx could not open itself.

usage: web_server.py CONFIGURATION LOG PORT

nginx takes over sockets whose numbers it finds in the environment variable NGINX, as it does when one nginx becomes the
next; the configuration must say `listen PORT`. Standard library only, and nothing else of MALOB: it is started by its path.
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
