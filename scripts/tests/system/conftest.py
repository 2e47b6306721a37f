"""Gives each class of the system tests a machine of its own, as far as a test can tell.

A class has a network, mounts, processes and a /run of its own, so that an Open vSwitch that the machine runs is not touched, and
whatever a class leaves behind goes with it. Processes are the worker's (worker.sh); the rest is made anew for each class.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

#: from linux/sched.h
_CLONE_FS, _CLONE_NEWNS, _CLONE_NEWNET = 0x200, 0x20000, 0x40000000
_KINDS = {"mnt": _CLONE_NEWNS, "net": _CLONE_NEWNET}
_PATIENCE_S = 10.0
_LOG_LINES = 25

_FILES = """
mount --make-rprivate /
mount -t tmpfs none /run
mkdir -p /run/netns /run/lock /run/cgroup
mount --rbind /sys/fs/cgroup /run/cgroup
mount -t sysfs sysfs /sys
mount --rbind /run/cgroup /sys/fs/cgroup 2>/dev/null || true
mount -t tmpfs none /var/lib/malob
ip link set lo up
"""


@pytest.fixture(scope="class", autouse=True)
def machine(request: pytest.FixtureRequest) -> Iterator[None]:
    """A network and mounts of its own for a class; its processes are ended with it."""
    needs = {part for mark in request.node.iter_markers("needs") for part in mark.args}
    missing = needs.intersection(request.config.getoption("missing"))
    if missing:
        # there is nothing to be missing in CI
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"cannot run without {', '.join(sorted(missing))}")
    if os.getppid() != 1 or "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.fail("a system test needs a machine of its own: ./malob test --only NAME", pytrace=False)
    # execnet ignores Ctrl-C, and what tests start would inherit that
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with _own_namespaces():
        subprocess.run(["bash", "-ec", _FILES], check=True)
        yield
        _end_leftovers()
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _own_namespaces() -> Iterator[None]:
    """Those of this thread, and of all that it starts."""
    folder = Path.cwd()
    outside = {kind: os.open(f"/proc/thread-self/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in _KINDS}
    _call("unshare", _CLONE_NEWNS | _CLONE_NEWNET)
    try:
        yield
    finally:
        # a thread that a test has left behind shares the folder with this one, which keeps both where they are
        _call("unshare", _CLONE_FS)
        for kind, file in outside.items():
            _call("setns", file, _KINDS[kind])
            os.close(file)
        os.chdir(folder)


def _call(name: str, *arguments: int) -> None:
    """A system call, which Python has from 3.12 on."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _end_leftovers() -> None:
    """Ends all processes but this one and its shell."""
    deadline = time.monotonic() + _PATIENCE_S
    while left := {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1, os.getpid()}:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes {sorted(left)} do not end")
        time.sleep(0.02)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows the ends of programs' logs after a test that has failed."""
    report = yield
    logs = getattr(getattr(item, "instance", None), "logs", None)
    if report.failed and logs:
        # the set-up may have failed before a program began its log
        for log in filter(Path.exists, logs()):
            lines = log.read_text(errors="replace").splitlines()
            report.sections.append((f"end of {log.name}", "\n".join(lines[-_LOG_LINES:])))
    return report
