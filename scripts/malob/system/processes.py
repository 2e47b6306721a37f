"""Runs other programs, and ends them."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from malob.errors import MissingError, ScriptError
from malob.system.waiting import postponed, wait_until


def run(command: Sequence[str], timeout_s: float = 30, check: bool = True, text: str | None = None) -> str:
    """Runs a program to its end and returns what it printed. If this is interrupted, the program has ended, too.

    Raises ScriptError with the program's own last words if it fails (unless check is False) or takes
    longer than timeout_s, and MissingError if it is not installed.
    """
    process: subprocess.Popen[str] | None = None
    try:
        # interrupted here, subprocess would lose a program that has begun, and it would go on while we clean up
        with postponed():
            process = subprocess.Popen(
                command, text=True, stdin=subprocess.DEVNULL if text is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        output, errors = process.communicate(text, timeout_s)
    except FileNotFoundError:
        raise MissingError(f"{command[0]} is not installed; './malob doctor' shows how to install it") from None
    except subprocess.TimeoutExpired:
        raise ScriptError(f"'{' '.join(command[:6])}' did not end within {timeout_s:g} s") from None
    finally:
        if process is not None:
            _end(process)
    if check and process.returncode != 0:
        words = (errors.strip() or output.strip()).splitlines()
        reason = words[-1] if words else f"exit code {process.returncode}"
        raise ScriptError(f"'{' '.join(command[:8])}' failed: {reason}")
    return output


def _end(process: subprocess.Popen[str]) -> None:
    """Sees to it that it has ended, and that its pipes are closed."""
    with postponed(), process:
        if process.poll() is None:
            process.kill()


def succeeds(command: Sequence[str], timeout_s: float = 10) -> bool:
    """Whether the program is there, and ends well in time."""
    try:
        return (
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=timeout_s).returncode == 0
        )
    except (FileNotFoundError, PermissionError, subprocess.TimeoutExpired):
        return False


def find_program(name: str) -> str | None:
    """The path of a program; also looks where only root's PATH looks."""
    path = os.environ.get("PATH", os.defpath)
    return shutil.which(name, path=f"{path}:/usr/local/sbin:/usr/sbin:/sbin")


def bound_to_us(command: Sequence[str]) -> list[str]:
    """The command, to be killed when its parent ends for any reason."""
    return [find_program("setpriv") or "setpriv", "--pdeathsig", "KILL", *command]


@dataclass(frozen=True)
class ProcessId:
    """A process that stays recognisable: its number, and when it started (in clock ticks after boot)."""

    pid: int
    start_ticks: int

    @staticmethod
    def of(pid: int) -> ProcessId | None:
        """The process that has this number now; None if there is none."""
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        fields = stat.rpartition(")")[2].split()
        if fields[0] in "ZX":
            return None
        return ProcessId(pid, int(fields[19]))

    @staticmethod
    def holding(pid_file: Path) -> ProcessId | None:
        """The daemon of Open vSwitch that has written the file: it keeps it locked for as long as it lives."""
        try:
            with open(pid_file, "rb") as file:
                answer = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        except OSError:
            return None
        kind, _, _, _, pid = struct.unpack("hhqqi", answer)
        return None if kind == fcntl.F_UNLCK or pid <= 0 else ProcessId.of(pid)

    def alive(self) -> bool:
        return ProcessId.of(self.pid) == self

    def end(self, patience_s: float = 5) -> None:
        """Ends the process: asks, waits for patience_s, then insists. Does nothing if it has ended."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not self.alive():
                return
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return
            deadline = time.monotonic() + patience_s
            while self.alive() and time.monotonic() < deadline:
                time.sleep(0.02)


#: A process keeps its number and its time of start when it becomes another program.
_RECORD = """
file=$1
shift
start=$(sed 's/.*) //' "/proc/$$/stat" | cut -d ' ' -f 20)
echo "$$ $start" >"$file.new"
mv "$file.new" "$file"
exec "$@"
"""


@dataclass(frozen=True)
class PidFile:
    """Identifies a process by its number and start time, so that no other process with the same command line is mistaken for it."""

    path: Path

    def process(self) -> ProcessId | None:
        """The process, if it runs."""
        try:
            pid, start_ticks = self.path.read_text(encoding="ascii").split()
            process = ProcessId(int(pid), int(start_ticks))
        except (OSError, ValueError):
            return None
        return process if process.alive() else None

    def start(self, command: Sequence[str], log: Path) -> None:
        """Starts a program that goes on when this one has ended, and is no child of it. log: takes all that it says.

        It is recorded before it begins, so that it is found again even if this process is killed now.
        """
        self.path.unlink(missing_ok=True)
        with open(log, "ab") as out:
            subprocess.run(
                ["setsid", "--fork", "sh", "-ec", _RECORD, "sh", str(self.path), *command],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        wait_until(self.path.exists, f"{command[0]} to start; see {log}", 10, 0.002)

    def end(self, patience_s: float = 5) -> None:
        """Ends the process, if it runs, and removes the file."""
        process = self.process()
        if process is not None:
            process.end(patience_s)
        self.path.unlink(missing_ok=True)
