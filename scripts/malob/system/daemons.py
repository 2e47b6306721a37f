"""A database and a switch daemon of Open vSwitch that we start ourselves, and end by number."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from malob.errors import MissingError
from malob.system import namespaces
from malob.system.processes import ProcessId, find_program, run

#: Each time that ovs-vswitchd looks for packets at a port, it allocates room for 32 of them, and frees what it did
#: not need. By default glibc keeps neither that number of blocks nor such large ones for reuse.
_ALLOCATION = "GLIBC_TUNABLES=glibc.malloc.tcache_count=128:glibc.malloc.tcache_max=4096"
_SCHEMA = Path("/usr/share/openvswitch/vswitch.ovsschema")
#: The switch comes before its database.
_NAMES = ("ovs-vswitchd", "ovsdb-server")


@dataclass(frozen=True)
class DaemonPair:
    """directory: for database, logs and pid files; goes with the daemons. sockets: where Open vSwitch's programs look.

    namespace: the network namespace of their ports; None for that of this process.
    """

    directory: Path
    sockets: Path
    namespace: str | None = None

    @property
    def database(self) -> str:
        """Where the database is, for ovs-vsctl's --db."""
        return f"unix:{self.sockets}/db.sock"

    def start(self) -> None:
        """Starts both; the switch may not answer yet. A database that is there already is used again.

        Raises MissingError if Open vSwitch is not installed as a whole.
        """
        if not _SCHEMA.exists():
            raise MissingError(f"Open vSwitch's {_SCHEMA} is missing (package openvswitch-switch)")
        self.sockets.mkdir(parents=True, exist_ok=True)
        self.directory.mkdir(parents=True, exist_ok=True)
        database = self.directory / "conf.db"
        if not database.exists():
            run(["ovsdb-tool", "create", str(database), str(_SCHEMA)])
        running = {name for name in _NAMES if self._process(name) is not None}
        if "ovsdb-server" not in running:
            self._launch("ovsdb-server", str(database), f"--remote=p{self.database}")
            run(["ovs-vsctl", f"--db={self.database}", "--no-wait", "--timeout=20", "init"])
        if "ovs-vswitchd" not in running:
            self._launch("ovs-vswitchd", self.database)

    def _launch(self, name: str, *arguments: str) -> None:
        command = [
            "env",
            _ALLOCATION,
            f"OVS_RUNDIR={self.sockets}",
            find_program(name) or name,
            *arguments,
            "-vconsole:off",
            "-vsyslog:off",
            "--detach",
            "--no-chdir",
            f"--pidfile={self._pid_file(name)}",
            f"--log-file={self.directory / name}.log",
        ]
        run(command if self.namespace is None else namespaces.inside(self.namespace, command))
        if self.sockets != self.directory:
            # ovs-appctl looks for the daemon's number in the usual place: a link there leads to our own file
            usual = self.sockets / f"{name}.pid"
            usual.unlink(missing_ok=True)
            usual.symlink_to(self._pid_file(name))

    def _pid_file(self, name: str) -> Path:
        return self.directory / f"{name}.pid"

    def _process(self, name: str) -> ProcessId | None:
        """The process that has written this pid file."""
        return ProcessId.holding(self._pid_file(name))

    def processes(self) -> list[ProcessId]:
        """The daemons of ours that run."""
        return [process for process in map(self._process, _NAMES) if process is not None]

    def stop(self) -> None:
        """Ends them, and removes what they left. Does nothing if we have not started them."""
        if not self.directory.exists():
            return
        for process in self.processes():
            process.end()
        for name in _NAMES:
            usual = self.sockets / f"{name}.pid"
            if usual.is_symlink():
                usual.unlink()
        shutil.rmtree(self.directory, ignore_errors=True)
