"""The set-up scripts reject unknown arguments before they change anything; neither root nor a testbed is needed."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from malob.system.place import ROOT

SETUP = ROOT / "geni" / "setup"
SWITCH = "switch.sh", "--datapath-id", "00:00:00:00:00:00:01:01", "--controller", "192.0.2.1:6653"


class SetupScriptsTest(unittest.TestCase):
    def run_script(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(SETUP / name), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)

    def refused(self, words: str, name: str, *arguments: str) -> None:
        done = self.run_script(name, *arguments)
        self.assertEqual((2, f"{name}: {words}"), (done.returncode, done.stderr.strip()))

    def test_unknown_option_is_refused(self) -> None:
        for name in ("controller.sh", "switch.sh", "server.sh", "client.sh"):
            self.refused("no option '--fast'; --help lists them", name, "--fast", "1")

    def test_help_is_no_error(self) -> None:
        for name in ("controller.sh", "switch.sh", "server.sh", "client.sh"):
            done = self.run_script(name, "--help")
            self.assertEqual((0, True), (done.returncode, done.stdout.startswith(f"Usage: {name} ")))

    def test_option_without_its_value_is_refused(self) -> None:
        for name, option in (("controller.sh", "--vip"), ("switch.sh", "--port"), ("server.sh", "--name"), ("client.sh", "--mtu")):
            self.refused(f"{option}: a value is missing", name, option)

    def test_switch_with_wrong_values_is_refused(self) -> None:
        self.refused("--datapath-id: expected eight bytes in hex with colons, not '1'", "switch.sh", "--datapath-id", "1")
        self.refused("--controller: expected HOST:PORT, not '192.0.2.1'", *SWITCH[:3], "--controller", "192.0.2.1")
        self.refused("--port is missing", *SWITCH)
        self.refused("--port: expected N=ADDRESS/PREFIX, not '10.0.0.1/24'", *SWITCH, "--port", "10.0.0.1/24")
        self.refused("--node: number 1 is already a --port", *SWITCH, "--port", "1=10.0.0.1/24", "--node", "1=10.0.0.2/24")
        self.refused("--agent: requires --node", *SWITCH, "--port", "1=10.0.0.1/24", "--agent", "/dev/null")
        self.refused("--port: number 1 is given twice", *SWITCH, "--port", "1=10.0.0.1/24", "--port", "1=10.0.0.2/24")

    def test_controller_with_wrong_values_is_refused(self) -> None:
        self.refused("--vip: expected ADDRESS:PORT, not '10.0.0.100'", "controller.sh", "--vip", "10.0.0.100")
        self.refused("--member is missing: a virtual server needs one", "controller.sh", "--vip", "10.0.0.100:80")
        self.refused("--http-port: expected a port, not 'web'", "controller.sh", "--http-port", "web")

    def test_hosts_with_wrong_values_are_refused(self) -> None:
        self.refused("--address: expected ADDRESS/PREFIX, not ''", "client.sh")
        self.refused("--address: expected ADDRESS/PREFIX, not '10.0.0.1'", "server.sh", "--address", "10.0.0.1")
        self.refused("--agent: cannot read /nowhere", "server.sh", "--agent", "/nowhere")
        self.refused("--try: expected http://ADDRESS:PORT/, not 'ftp://x'", "client.sh", "--try", "ftp://x")

    def test_missing_program_is_installed_from_its_package(self) -> None:
        done, asked = self.needing(0)
        self.assertEqual(
            (0, "-qq update\n-qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install its-package\n"), (done.returncode, asked), done.stderr
        )

    def test_package_that_cannot_be_installed_is_named(self) -> None:
        done, _ = self.needing(1)
        self.assertEqual((3, "bash: apt-get could not install its-package (above)"), (done.returncode, done.stderr.strip().splitlines()[-1]))

    def needing(self, code: int) -> tuple[subprocess.CompletedProcess[str], str]:
        """What becomes of a need for a program that is missing, and what apt-get was asked; it ends with the code."""
        with tempfile.TemporaryDirectory() as directory:
            log, program = Path(directory, "log"), Path(directory, "apt-get")
            program.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexit {code}\n')
            program.chmod(0o755)
            done = subprocess.run(
                ["bash", "-ec", f". {SETUP}/common.sh; need sh dash no-such-program its-package"],
                env={**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                timeout=30,
            )
            return done, log.read_text()


if __name__ == "__main__":
    unittest.main()
