"""This machine's file system with all changes kept apart: what is installed there is gone with it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from malob.errors import ScriptError
from malob.system.processes import bound_to_us, run, succeeds
from malob.system.waiting import wait_until

_SET_UP = """
set -e
mount -t tmpfs -o mode=0755 none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount -t tmpfs none "$1/root/run"
mount -t tmpfs -o mode=1777 none "$1/root/tmp"
ip link set lo up
"""

_IDLE = """
mount --rbind /dev "$1/root/dev"
echo ready
exec sleep infinity
"""

#: systemd gets devices of its own, because it changes them, and a control group of its own.
_BOOT = """
mount -t tmpfs -o mode=0755 none "$1/root/dev"
for device in null zero full random urandom tty net/tun; do
  install -D /dev/null "$1/root/dev/$device"
  mount --bind "/dev/$device" "$1/root/dev/$device"
done
mkdir "$1/root/dev/pts" "$1/root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 none "$1/root/dev/pts"
mount -t tmpfs -o mode=1777 none "$1/root/dev/shm"
ln -s pts/ptmx "$1/root/dev/ptmx"
ln -s /proc/self/fd "$1/root/dev/fd"
mount -t sysfs sysfs "$1/root/sys"
# settings of the kernel are the machine's, but those of the network are our own
mount --bind "$1/root/proc/sys" "$1/root/proc/sys"
mount -o remount,bind,ro "$1/root/proc/sys"
mount --bind "$1/root/proc/sys/net" "$1/root/proc/sys/net"
mount -o remount,bind,rw "$1/root/proc/sys/net"
mkdir "$1/cgroups"
mount -t cgroup2 none "$1/cgroups"
mkdir "$1/cgroups/$2"
echo 0 >"$1/cgroups/$2/cgroup.procs"
umount "$1/cgroups"
# no unit of this machine but the journal: some would change the machine
rm -rf "$1"/root/{etc,usr/lib}/systemd/system/{sysinit,basic}.target.wants
units=$1/root/etc/systemd/system
printf '[Unit]\\nWants=systemd-journald.service\\n' >"$units/sysinit.target"
printf '[Unit]\\nRequires=sysinit.target\\n' >"$units/basic.target"
for unit in tmp.mount systemd-tmpfiles-setup.service systemd-journal-flush.service; do
  ln -sf /dev/null "$units/$unit"
done
rm -rf "$1/root/var/log/journal"
exec unshare --cgroup sh -ec '
  mount -t cgroup2 none "$1/root/sys/fs/cgroup"
  mkdir "$1/root/.host"
  pivot_root "$1/root" "$1/root/.host"
  cd /
  umount --lazy /.host
  rmdir /.host
  # as systemd has it, so that it can hand credentials to services
  mount --make-rshared /
  echo ready
  exec env -i container=malob-test PATH="$PATH" /lib/systemd/systemd \\
    --system --unit=basic.target --show-status=no --log-target=console --log-level=warning >/tmp/systemd.log 2>&1 </dev/null
' sh "$1"
"""

_REMOVE_GROUP = """
mount -t cgroup2 none "$1"
[ ! -e "$1/$2" ] || find "$1/$2" -depth -type d -exec rmdir {} +
"""


class OverlayRoot:
    """A root directory in namespaces of its own: mounts, processes, network (with loopback). No service manager runs there.

    Needs root. All that runs there ends with close().
    """

    _script = _SET_UP + _IDLE

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
                    "bash",
                    "-c",
                    self._script,
                    "bash",
                    self._directory.name,
                    self._name,
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
        self._child = children[0]
        self._enter = ["nsenter", "--target", self._child, "--mount", "--pid", "--net", *self._change_root()]

    @property
    def _name(self) -> str:
        return Path(self._directory.name).name

    def _change_root(self) -> list[str]:
        """What to call in its namespaces to get to its root directory."""
        return ["chroot", f"{self._directory.name}/root"]

    @property
    def files(self) -> Path:
        """Its root directory as this process sees it, where absolute symbolic links lead elsewhere."""
        return Path(f"/proc/{self._child}/root{self._directory.name}/root")

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

    def output(self, *words: str) -> str:
        """What a command prints, whatever its exit code."""
        return run(self.command(*words), check=False)

    def write(self, path: str, content: bytes) -> None:
        subprocess.run(self.command("tee", path), input=content, stdout=subprocess.DEVNULL, check=True)

    def exists(self, path: str) -> bool:
        return self.succeeds("test", "-e", path)

    def succeeds(self, *words: str) -> bool:
        return subprocess.run(self.command(*words), stdin=subprocess.DEVNULL, capture_output=True).returncode == 0

    def wait_for_http(self, url: str) -> None:
        """Returns once there is an answer."""
        wait_until(lambda: self.succeeds("curl", "-sf", "-o", "/dev/null", url), url, 120)


class BootedRoot(OverlayRoot):
    """The same with systemd, which starts no unit of the machine's by itself.

    Raises ScriptError if systemd cannot run here.
    """

    _script = _SET_UP + _BOOT

    def __init__(self) -> None:
        super().__init__()
        try:
            wait_until(lambda: self.succeeds("systemctl", "is-active", "basic.target"), "systemd to start", 20, detail=self.log)
        except ScriptError:
            self.close()
            raise

    def _change_root(self) -> list[str]:
        return []

    def log(self) -> str:
        """What systemd has said."""
        return self.run("cat", "/tmp/systemd.log")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        with tempfile.TemporaryDirectory() as directory:
            words = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", _REMOVE_GROUP, "sh", directory, self._name]
            # processes need a moment to end
            wait_until(lambda: succeeds(words), f"the control group {self._name} to be empty", 20)
        self._directory.cleanup()
