"""This machine's file system with all changes kept apart: what is installed there is gone with it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from malob.errors import ScriptError
from malob.system.processes import bound_to_us, run
from malob.system.waiting import wait_until

_SET_UP = """
set -e
mount -t tmpfs -o mode=0755 none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs none "$1/root/run"
mount -t tmpfs -o mode=1777 none "$1/root/tmp"
ip link set lo up
echo ready
exec sleep infinity
"""


class OverlayRoot:
    """A root directory in namespaces of its own: mounts, processes, network (with loopback). No service manager runs there.

    Needs root. All that runs there ends with close().
    """

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="malob-overlay-")
        self._process = subprocess.Popen(
            bound_to_us(
                [
                    "unshare",
                    "--mount",
                    "--pid",
                    "--net",
                    "--fork",
                    "--kill-child",
                    "--propagation",
                    "private",
                    "sh",
                    "-c",
                    _SET_UP,
                    "sh",
                    self._directory.name,
                ]
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            self.close()
            raise ScriptError("no overlay of the file system can be made here (above)")
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        self._enter = ["nsenter", "--target", children[0], "--mount", "--pid", "--net", "chroot", f"{self._directory.name}/root"]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._directory.cleanup()

    def command(self, *words: str) -> list[str]:
        """What to call for a command to run there."""
        return [*self._enter, *words]

    def run(self, *words: str, timeout_s: float = 60) -> str:
        """What a command prints. Raises ScriptError if it fails."""
        return run(self.command(*words), timeout_s)

    def write(self, path: str, content: bytes) -> None:
        subprocess.run(self.command("tee", path), input=content, stdout=subprocess.DEVNULL, check=True)

    def exists(self, path: str) -> bool:
        return subprocess.run(self.command("test", "-e", path)).returncode == 0

    def wait_for_http(self, url: str) -> None:
        """Returns once there is an answer."""
        wait_until(lambda: subprocess.run(self.command("curl", "-sf", "-o", "/dev/null", url), stdin=subprocess.DEVNULL).returncode == 0, url, 120)
