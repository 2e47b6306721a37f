"""Runs the tests as a new user does: in a fresh root directory of a release of Debian, on a clone in root's home.

    sudo python3 scripts/command.py tests.debian trixie [--only PATTERN] [--keep DIR]

The root directory has mounts and processes of its own, and the machine's network, kernel and devices. Needs debootstrap, a mirror of
Debian, and what './malob test' downloads.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

from malob.cli.arguments import Parser
from malob.errors import MissingError, ScriptError, UsageError, run_main
from malob.system.place import ROOT
from malob.system.processes import bound_to_us, find_program, run
from malob.system.waiting import orderly_end, say
from tools.release import sources

_MIRROR = "http://deb.debian.org/debian"
_PACKAGES = "ca-certificates,git,python3"
_AUTHORITIES = "usr/local/share/ca-certificates"
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
_CLONE_S = 120

#: Enters the root directory $1. It becomes that of the mount namespace, because the tests enter namespaces again and expect it there.
_ENTER = """
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
mount -t tmpfs -o mode=0755 none "$1/run"
mount -t tmpfs -o mode=1777 none "$1/tmp"
mkdir -p "$1/.host"
cd "$1"
pivot_root . .host
umount --lazy /.host
cd /root
shift
exec "$@"
"""


def main() -> int:
    options = _options()
    if os.geteuid() != 0:
        raise MissingError("this needs root")
    if find_program("debootstrap") is None:
        raise MissingError("debootstrap is missing: apt-get install debootstrap")
    if sources.changed(ROOT):
        say("warning: uncommitted changes are not tried")
    with orderly_end(), ExitStack() as stack:
        if options.keep is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"malob-{options.release}-", dir="/var/tmp")))
        else:
            folder = options.keep.resolve()
        root = folder / "root"
        _install(options, root)
        _clone(root)
        return _enter(root, ["/root/malob/malob", "--yes", "test", *_words(options)])


def _options() -> argparse.Namespace:
    made = Parser(prog="tests.debian", description="Runs the tests in a fresh root directory of a release of Debian.")
    made.add_argument("release", help="its name, as bookworm or trixie")
    made.add_argument("--only", metavar="PATTERN", help="only the tests whose full names match, as of './malob test'")
    made.add_argument("--keep", type=Path, metavar="DIR", help="for the root directory, which stays: the next run needs no installation")
    made.add_argument("--mirror", default=_MIRROR, metavar="URL", help="Debian's mirror (%(default)s)")
    options = made.parse_args()
    if not re.fullmatch(r"[a-z]+", options.release):
        raise UsageError(f"expected the name of a release, such as trixie, not '{options.release}'")
    return options


def _words(options: argparse.Namespace) -> list[str]:
    return [] if options.only is None else ["--only", options.only]


def _install(options: argparse.Namespace, root: Path) -> None:
    """Makes the root directory, unless a release is there."""
    installed = root / "etc" / "malob-release-of-trial"
    if installed.exists():
        if installed.read_text() != options.release:
            raise UsageError(f"{root} has {installed.read_text()}")
        return
    if root.parent.exists() and any(root.parent.iterdir()):
        raise UsageError(f"{root.parent} is not empty")
    # its programs may be old: no user outside of it may reach them, but all users in it may enter its root directory
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    root.mkdir(mode=0o755)
    root.chmod(0o755)
    say(f"installing {options.release} into {root}")
    command = ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", options.release, str(root), options.mirror]
    if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode != 0:
        raise ScriptError(f"debootstrap failed; its log is {root}/debootstrap/debootstrap.log")
    # what this machine trusts, because it may be behind a proxy of its own
    shutil.copytree(Path("/") / _AUTHORITIES, root / _AUTHORITIES, dirs_exist_ok=True)
    if _enter(root, ["update-ca-certificates"]) != 0:
        raise ScriptError("update-ca-certificates failed (above)")
    installed.write_text(options.release)


def _clone(root: Path) -> None:
    """Puts a clone of this checkout's commit into root's home."""
    for name in ("resolv.conf", "hosts"):
        (root / "etc" / name).unlink(missing_ok=True)
        shutil.copyfile(Path("/etc") / name, root / "etc" / name)
    home = root / "root"
    home.chmod(0o700)
    shutil.rmtree(home / "malob", ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="malob-bundle-") as directory:
        bundle = f"{directory}/malob.bundle"
        # the checkout may belong to another user, under sudo
        run(["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "bundle", "create", "--quiet", bundle, "HEAD"], _CLONE_S)
        run(["git", "clone", "--quiet", bundle, str(home / "malob")], _CLONE_S)


def _enter(root: Path, command: list[str]) -> int:
    """Runs a command there, and returns its exit code."""
    passed = [f"{name}={value}" for name, value in os.environ.items() if name.lower() in ("http_proxy", "https_proxy", "no_proxy")]
    environment = [
        *("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "TERM=dumb"),
        *(f"{name}={_CERTIFICATES}" for name in ("PIP_CERT", "NODE_EXTRA_CA_CERTS")),
        *passed,
    ]
    entering = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "bash", "-ec", _ENTER, "bash", str(root)]
    return subprocess.run(bound_to_us([*entering, "env", "-i", *environment, *command]), stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    run_main(main, "tests.debian")
