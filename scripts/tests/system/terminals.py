"""Terminals as a reader of the documentation has them, on a machine of their own as far as that goes.

A machine of its own: namespaces for network, mounts and processes, so that ports, Open vSwitch and files under /run are
nobody else's, and whatever was started is gone when the first process is.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping
from pathlib import Path

from malob.errors import ScriptError
from malob.system.place import ROOT
from malob.system.waiting import wait_until

_PATIENCE_S = 20
_PROMPT = "a-terminal-of-the-test> "
_PROMPTS = (_PROMPT, "mininet> ")

#: What is to be the machine's own: sockets and state, the database of Open vSwitch, and what it logs.
_OWN = ("/run", "/etc/openvswitch", "/var/log/openvswitch")


class Machine:
    """Where terminals are."""

    def __init__(self) -> None:
        mounts = "".join(f"if [ -d {path} ]; then mount -t tmpfs none {path}; fi\n" for path in _OWN)
        script = f"{mounts}mkdir -p /run/netns /run/lock\nmount -t sysfs sysfs /sys\nip link set lo up\nexec sleep infinity"
        self._process = subprocess.Popen(
            ["unshare", "-n", "-m", "-p", "-f", "--mount-proc", "--kill-child", "--propagation", "private", "bash", "-ec", script],
            stdin=subprocess.DEVNULL,
        )
        wait_until(self._ready, "namespaces", _PATIENCE_S)

    def inside(self) -> list[str]:
        """What to put before a command so that it runs there."""
        return ["nsenter", "-t", str(self._first()), "-n", "-m", "-p"]

    def end(self) -> None:
        """Returns once no process is left, or after a while."""
        first = self._first()
        ended = None if first is None else os.pidfd_open(int(first))
        self._process.kill()
        self._process.wait()
        if ended is not None:
            # it is killed with its parent, and the kernel ends it after all others of its namespace
            select.select([ended], [], [], _PATIENCE_S)
            os.close(ended)

    def _ready(self) -> bool:
        if self._process.poll() is not None:
            raise ScriptError("namespaces cannot be made (see above)")
        first = self._first()
        return first is not None and Path(f"/proc/{first}/comm").read_text().strip() == "sleep"

    def _first(self) -> str | None:
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return children[0] if children else None


class Terminal:
    """A shell in the checkout, on a machine. One command at a time is typed, and what it prints is read."""

    def __init__(self, machine: Machine, environment: Mapping[str, str]) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 400, 0, 0))
        self._descriptor = ours
        self._process = subprocess.Popen(
            [
                *machine.inside(),
                "setsid",
                "--ctty",
                "bash",
                "-c",
                'cd "$0" && exec env PS1="$1" PS2= TERM=dumb bash --norc --noprofile --noediting -i',
                str(ROOT),
                _PROMPT,
            ],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, **environment},
        )
        os.close(theirs)
        self._read_to_prompt(10)
        # in a container there may be no sudo, for want of anybody but root
        self.type('stty -echo; command -v sudo >/dev/null || sudo() { "$@"; }', 10)

    def type(self, command: str, patience_s: float) -> str:
        """Types a command and returns what it printed, once there is a prompt again."""
        self._send(command)
        return _without_echo(command, self._read_to_prompt(patience_s))

    def start(self, command: str) -> None:
        """Types a command that goes on; what it prints is there for read()."""
        self._send(command)

    def read(self, patience_s: float = 0.2) -> str:
        """What was printed since the last time."""
        ready, _, _ = select.select([self._descriptor], [], [], patience_s)
        try:
            return os.read(self._descriptor, 65536).decode(errors="replace").replace("\r", "") if ready else ""
        except OSError:
            raise ScriptError("the terminal's shell has ended") from None

    def end(self) -> None:
        os.close(self._descriptor)
        self._process.kill()
        self._process.wait()

    def _send(self, text: str) -> None:
        os.write(self._descriptor, (text + "\n").encode())

    def _read_to_prompt(self, patience_s: float) -> str:
        printed, deadline = "", time.monotonic() + patience_s
        while not printed.endswith(_PROMPTS):
            if time.monotonic() > deadline:
                raise ScriptError(f"no prompt within {patience_s:g} s; so far: {printed}")
            printed += self.read()
        return printed[: printed.rindex(next(prompt for prompt in _PROMPTS if printed.endswith(prompt)))]


def _without_echo(command: str, printed: str) -> str:
    """Mininet's prompt shows what is typed."""
    return printed[len(command) :].lstrip("\n") if printed.startswith(command) else printed
