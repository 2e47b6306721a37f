"""The .deb packages, installed on a copy of this machine's file system: install, use, upgrade, remove."""

from __future__ import annotations

import json
import os
import subprocess
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from malob.errors import ScriptError
from malob.system.place import ROOT
from tests.system.overlay import OverlayRoot
from tools.release import debian, licences, project
from tools.release.contents import program

_API = "http://127.0.0.1:8080/quantum/v1.0/vips/"
_VIP = {"id": "kept", "name": "kept", "protocol": "tcp", "address": "10.0.0.100", "port": "80"}
_UNITS = ("malob-controller", "malob-endhost", "malob-server-agent", "malob-link-agent")


class PackagesTest(unittest.TestCase):
    def test_catalog_and_settings_outlive_an_upgrade_and_nothing_a_purge(self) -> None:
        """one test, because the steps build on one another"""
        root = OverlayRoot()
        self.addCleanup(root.close)
        before = self._named_after_us(root) - {"/var/lib/malob"}
        now = project.read(ROOT)
        self._install(root, now)
        self._units_are_good(root)
        with self._controller(root):
            root.run("curl", "-sf", "-d", json.dumps(_VIP), _API)
        root.run("sh", "-c", "echo '# changed here' >> /etc/malob/malob.properties")
        root.run("malob", "agent", "add", "web1", "--kind", "server", "--address", "10.0.0.11")
        root.run(
            "setpriv",
            "--reuid",
            "nobody",
            "--regid",
            "nogroup",
            "--clear-groups",
            "env",
            "HOME=/tmp/home",
            "malob",
            "agent",
            "add",
            "own",
            "--kind",
            "server",
            "--address",
            "10.0.0.12",
        )
        self.assertTrue(root.exists("/tmp/home/.local/share/malob/agents.json"), "who may not write to the service's data has his own")
        self._install(root, replace(now, version="99.0"))
        self.assertIn("# changed here", root.run("cat", "/etc/malob/malob.properties"))
        with self._controller(root):
            self.assertEqual([_VIP["id"]], [vip["id"] for vip in json.loads(root.run("curl", "-sf", _API))])
        self.assertIn("web1", root.run("malob", "agent", "list"))
        root.run("dpkg", "--remove", "malob")
        self.assertTrue(root.exists("/var/lib/malob/controller"), "a removal keeps the catalog")
        root.run("dpkg", "--purge", "malob", "malob-agents")
        self._nothing_is_left(root, before)

    def test_each_library_is_in_notice(self) -> None:
        jars = [path.name for path in (ROOT / "target" / "lib").glob("*.jar")]
        self.assertTrue(jars)
        # what the page uses is no jar of ours, but in it
        of_page = [f"{path.name.partition('.')[0]}-0.jar" for path in (ROOT / "target" / "classes" / "web" / "lib").glob("*js")]
        self.assertEqual([], licences.missing([*jars, *of_page], (ROOT / "NOTICE").read_text(encoding="utf-8")))

    def test_package_of_the_same_files_is_the_same_bytes(self) -> None:
        described = project.read(ROOT)
        files = debian.packages(program(ROOT), ROOT, described)["malob-agents"]
        first = debian.make("malob-agents", files, ROOT, described)
        time.sleep(1.1)
        self.addCleanup(os.umask, os.umask(0o077))
        second = debian.make("malob-agents", dict(reversed(files.items())), ROOT, described)
        self.assertEqual(first, second)

    def _install(self, root: OverlayRoot, described: project.Project) -> None:
        paths = []
        for name, files in debian.packages(program(ROOT), ROOT, described).items():
            paths.append(f"/tmp/{name}.deb")
            root.write(paths[-1], debian.make(name, files, ROOT, described))
        root.run("dpkg", "--force-unsafe-io", "--force-confold", "--install", *paths, timeout_s=120)
        self.assertEqual("root\nmalob\n", root.run("stat", "-c", "%U", "/var/lib/malob", "/var/lib/malob/controller"))

    def _units_are_good(self, root: OverlayRoot) -> None:
        """systemd understands them, and finds the programs that they start."""
        units = [f"/usr/lib/systemd/system/{unit}.service" for unit in _UNITS]
        done = subprocess.run(root.command("systemd-analyze", "verify", "--man=no", *units), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual([], [line for line in done.stderr.splitlines() if "malob" in line])
        self.assertEqual(0, done.returncode, done.stderr)

    @contextmanager
    def _controller(self, root: OverlayRoot) -> Iterator[None]:
        """As its unit starts it: the unit's own command, by the user malob without any capability."""
        unit = root.run("cat", "/usr/lib/systemd/system/malob-controller.service")
        settings = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#"))
        process = subprocess.Popen(
            root.command(
                "sh",
                "-c",
                'echo $$ >/tmp/controller.pid; exec "$@"',
                "sh",
                "setpriv",
                "--reuid",
                settings["User"],
                "--regid",
                settings["Group"],
                "--clear-groups",
                "--no-new-privs",
                "--bounding-set=-all",
                "--inh-caps=-all",
                "env",
                "-i",
                "PATH=/usr/bin:/bin",
                settings["Environment"],
                *settings["ExecStart"].split(),
            ),
            stdin=subprocess.DEVNULL,
        )
        try:
            root.wait_for_http(_API)
            yield
        finally:
            # nsenter passes no signals on
            root.run("sh", "-c", "kill $(cat /tmp/controller.pid)")
            process.wait(20)

    def _named_after_us(self, root: OverlayRoot) -> set[str]:
        return set(root.run("find", "/etc", "/usr", "/var", "-xdev", "-name", "*malob*").splitlines())

    def _nothing_is_left(self, root: OverlayRoot, before: set[str]) -> None:
        self.assertLessEqual(self._named_after_us(root), before)
        with self.assertRaises(ScriptError):
            root.run("getent", "passwd", "malob")
