"""The .deb packages, installed on a copy of this machine's file system: install, use, upgrade, remove."""

from __future__ import annotations

import os
import subprocess
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from malob.errors import ScriptError
from malob.system.place import ROOT
from tests import installed
from tests.system.overlay import OverlayRoot
from tests.system.packaged import CATALOG, ask, dpkg, install
from tools.release import debian, licences, project
from tools.release.files import program

#: Files that earlier versions have written. In the settings of the first packages, an operator has changed two numbers.
_EARLIER = ROOT / "src" / "test" / "resources" / "state-files" / "earlier"
#: The token that tokens.json there is of, and the port that the settings there have.
_TOKEN = "malob_SOSEsVj0nG7fcvaLUOuqE9UT-vvlHdblCePS4wil6XE"
_URL = "http://127.0.0.1:8090"
_DATA = "/var/lib/malob/controller"
_SETTINGS = "/etc/malob/malob.properties"
_VIP = {"id": "kept", "name": "kept", "protocol": "tcp", "address": "10.0.0.101", "port": "80"}
_MEMBER = ("id", "address", "weight", "admin_state")
_UNITS = ("malob-controller", "malob-endhost", "malob-server-agent", "malob-link-agent")


class PackagesTest(unittest.TestCase):
    def test_data_and_settings_outlive_upgrades_and_nothing_a_purge(self) -> None:
        """one test, because the steps build on one another"""
        root = OverlayRoot()
        self.addCleanup(root.close)
        before = self._named_after_us(root) - {"/var/lib/malob"}
        now = project.read(ROOT)
        self._install(root, replace(now, version="0.0.1"))
        self._units_are_good(root)
        self.assertEqual([], installed.dead_links(root.files))
        self.assertEqual([], installed.missing_files(root.files))
        directory = root.run("stat", "-c", "%i %U:%G %a", _DATA)
        self._lay_out_earlier(root)
        self._install(root, now)
        with self._controller(root):
            self._has_earlier(root)
            ask(root, f"{_URL}{CATALOG}/vips/", _VIP, _TOKEN)
        root.run("malob", "agent", "add", "web2", "--kind", "server", "--address", "10.0.0.12")
        self._data_of_another_user(root)
        self._install(root, replace(now, version="99.0"))
        with self._controller(root):
            self._has_earlier(root)
            self.assertIn(_VIP["id"], self._ids(root, "vips"))
        self.assertEqual(["web1", "web2"], [line.split()[0] for line in root.run("malob", "agent", "list").splitlines()[1:]])
        self.assertEqual(directory, root.run("stat", "-c", "%i %U:%G %a", _DATA))
        self.assertEqual((_EARLIER / "malob.properties").read_text(), root.run("cat", _SETTINGS))
        dpkg(root, "--remove", "malob")
        self.assertTrue(root.exists(f"{_DATA}/catalog.json"), "a removal keeps the catalog")
        dpkg(root, "--purge", "malob", "malob-agents")
        self._nothing_is_left(root, before)

    def test_agents_alone_have_their_pages_and_a_place_for_their_settings(self) -> None:
        root = OverlayRoot()
        self.addCleanup(root.close)
        before = self._named_after_us(root)
        install(root, project.read(ROOT), "malob-agents")
        self.assertEqual([], installed.dead_links(root.files))
        self.assertEqual([], installed.missing_files(root.files))
        self.assertEqual("755 root\n", root.run("stat", "-c", "%a %U", "/etc/malob"))
        root.write("/etc/malob/server-agent.json", b"{}")
        dpkg(root, "--purge", "malob-agents")
        self.assertLessEqual(self._named_after_us(root), before)

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

    def _lay_out_earlier(self, root: OverlayRoot) -> None:
        """Puts data and settings in place as an earlier version, and its operator, have left them."""
        for name, written in (("catalog", "catalog-2"), ("capacities", "capacities"), ("agents", "agents"), ("tokens", "tokens")):
            root.write(f"{_DATA}/{name}.json", (_EARLIER / f"{written}.json").read_bytes())
        root.run("sh", "-c", f"chown malob:malob {_DATA}/* && chmod 600 {_DATA}/agents.json {_DATA}/tokens.json")
        root.write(_SETTINGS, (_EARLIER / "malob.properties").read_bytes())

    def _has_earlier(self, root: OverlayRoot) -> None:
        """Whether all that is there still, by the token of then, at the port of the settings of then."""
        self.assertIn("web", self._ids(root, "vips"))
        self.assertEqual(["web-servers"], self._ids(root, "pools"))
        members = ask(root, f"{_URL}{CATALOG}/members/", token=_TOKEN)
        self.assertEqual({("m1", "10.0.0.11", 3, "up"), ("m2", "10.0.0.12", 1, "drain")}, {tuple(m[f] for f in _MEMBER) for m in members})
        self.assertIn("shop", self._ids(root, "services"))
        capacity = {"switch": "00:00:00:00:00:00:00:01", "port": 2, "mbps": 50}
        self.assertIn(capacity, ask(root, f"{_URL}/wm/malob/capacities", token=_TOKEN))
        self.assertIn("web1", [each["id"] for each in ask(root, f"{_URL}/wm/malob/reports", token=_TOKEN)["agents"]])
        with self.assertRaisesRegex(ScriptError, "401"):
            ask(root, f"{_URL}{CATALOG}/vips/")

    def _ids(self, root: OverlayRoot, kind: str) -> list[str]:
        return [item["id"] for item in ask(root, f"{_URL}{CATALOG}/{kind}/", token=_TOKEN)]

    def _data_of_another_user(self, root: OverlayRoot) -> None:
        """A user who may not write to the service's data has their own."""
        user = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "env", "HOME=/tmp/home")
        root.run(*user, "malob", "agent", "add", "own", "--kind", "server", "--address", "10.0.0.12")
        self.assertTrue(root.exists("/tmp/home/.local/share/malob/agents.json"))

    def _install(self, root: OverlayRoot, described: project.Project) -> None:
        install(root, described)
        self.assertEqual("root\nmalob\n", root.run("stat", "-c", "%U", "/var/lib/malob", _DATA))

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
                *settings["Environment"].split(),
                *settings["ExecStart"].split(),
            ),
            stdin=subprocess.DEVNULL,
        )
        try:
            root.wait_for_http(f"{_URL}/wm/core/health/json")
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
