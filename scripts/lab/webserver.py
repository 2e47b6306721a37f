"""A fast web server on an emulated host: nginx, so that the server is not the bottleneck."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Callable

from lab.instance import Instance
from lab.processes import listens
from malob.errors import ScriptError
from malob.system.processes import bound_to_us
from malob.system.waiting import wait_until

PORT = 80

#: the size of a small page
BODY_BYTES = 1024

SMALL_PAGE = f'location / {{ default_type text/plain; return 200 "{"x" * BODY_BYTES}"; }}'

_CONFIGURATION = """
daemon off;
master_process {master};
worker_processes 1;
pid {directory}/nginx-{host}.pid;
error_log {directory}/nginx-{host}.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_body_temp_path {directory}/nginx-{host}.body;
  proxy_temp_path {directory}/nginx-{host}.proxy;
  fastcgi_temp_path {directory}/nginx-{host}.fastcgi;
  uwsgi_temp_path {directory}/nginx-{host}.uwsgi;
  scgi_temp_path {directory}/nginx-{host}.scgi;
  server {{
    {listens}
    {content}
  }}
}}
"""


def configuration(directory: Path, host: str, content: str, ports: Sequence[int] = (PORT,), master: bool = False) -> str:
    """The configuration of nginx.

    directory: for its files, whose names contain the host's. content: see start(). master: two processes, of which one
    serves; required when nginx inherits sockets.
    """
    listens = " ".join(f"listen {port} backlog=4096; listen [::]:{port} backlog=4096;" for port in ports)
    return _CONFIGURATION.format(directory=directory, host=host, listens=listens, content=content, master="on" if master else "off")


def start(
    lab: Instance,
    host: str,
    content: str = SMALL_PAGE,
    inside: Callable[[Sequence[str]], list[str]] | None = None,
    ports: Sequence[int] = (PORT,),
) -> subprocess.Popen[bytes]:
    """Starts nginx on a host and returns once it listens on its ports; it ends with this process.

    content: the directives of its server block. inside: converts a command to run on the host.
    """
    directory = lab.directory
    file = directory / f"nginx-{host}.conf"
    file.write_text(configuration(directory, host, content, ports))
    command = ["nginx", "-e", f"{directory}/nginx-{host}.log", "-c", str(file)]
    process = subprocess.Popen(
        bound_to_us(inside(command) if inside else lab.inside(host, command)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

    def ready() -> bool:
        if process.poll() is not None:
            raise ScriptError(f"nginx on {host} ended at once; see {directory}/nginx-{host}.log")
        return all(listens(lab, host, port) for port in ports)

    wait_until(ready, f"nginx on {host} to listen", 15)
    return process
