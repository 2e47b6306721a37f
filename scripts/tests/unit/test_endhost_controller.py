"""The process of an end host's controller; a shell script stands for Java."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from malob.endhost import controller, place
from malob.endhost.controller import Controller
from malob.endhost.place import Place
from malob.system.waiting import wait_until


class ProcessTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        java = Path(directory.name, "java")
        java.write_text('#!/bin/sh\necho "arena $MALLOC_ARENA_MAX, last $(for last; do :; done; echo "$last")"\nexec sleep 60\n')
        java.chmod(0o755)
        for patch in (
            mock.patch.object(place, "_RUNNING", Path(directory.name)),
            mock.patch.object(controller, "_archive_option", lambda: "-Xshare:auto"),
            mock.patch.dict(os.environ, {"MALOB_JAVA": str(java)}),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        self.data = Place("host").directory / "data"

    def controller(self) -> Controller:
        return Controller(Place("host"), mock.Mock(openflow_port=1, http_port=2))

    def test_who_watches_its_data_is_not_taken_for_it(self) -> None:
        """neither while it is dead and is to be started again, nor when it is ended"""
        ours = self.controller()
        ours.launch()
        self.addCleanup(ours.stop)
        watcher = subprocess.Popen(["tail", "-F", str(self.data)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # another supervisor finds it as well
            process = self.controller().process()
            assert process is not None
            self.assertEqual(process, ours.process())
            self.assertNotEqual(watcher.pid, process.pid)
            process.end()
            wait_until(lambda: ours.process() is None, "the controller to be dead", 5, 0.01)
            ours.launch()
            again = ours.process()
            assert again is not None
            self.assertNotEqual(process, again)
            ours.stop()
            self.assertFalse(again.alive())
            self.assertIsNone(watcher.poll())
        finally:
            watcher.kill()
            watcher.wait()

    def test_gets_its_settings_in_a_file(self) -> None:
        ours = self.controller()
        ours.launch()
        self.addCleanup(ours.stop)
        file = self.data.parent / "controller.properties"
        wait_until(lambda: ours.log.read_text() == f"arena 1, last {file}\n", "Java to be called", 5, 0.01, detail=ours.log.read_text)
        lines = file.read_text().splitlines()
        for line in (
            "io.malob.controller.core.CoreModule.openFlowPort=1",
            "io.malob.controller.core.CoreModule.openFlowHost=127.0.0.1",
            "io.malob.controller.rest.RestModule.httpPort=2",
            "io.malob.controller.rest.RestModule.host=127.0.0.1",
            f"*.data={self.data}",
        ):
            self.assertEqual(1, lines.count(line), line)
        self.assertTrue(self.data.is_dir())

    def test_accepts_only_the_token_that_root_can_read(self) -> None:
        ours = self.controller()
        self.assertIsNone(ours.rest.target.token)
        ours.launch()
        self.addCleanup(ours.stop)
        token = ours.rest.target.token
        assert token is not None
        accepted = self.data / "tokens.json"
        entries = json.loads(accepted.read_text())["tokens"]
        self.assertEqual([("admin", hashlib.sha256(token.encode()).hexdigest())], [(each["role"], each["sha256"]) for each in entries])
        for file in (accepted, self.data.parent / "token"):
            self.assertEqual(0o600, stat.S_IMODE(file.stat().st_mode), file)
        # a restart keeps it: other programs may have read it
        ours.stop()
        accepted.unlink()
        ours.launch()
        self.assertEqual(token, self.controller().rest.target.token)
        self.assertEqual(entries, json.loads(accepted.read_text())["tokens"])


if __name__ == "__main__":
    unittest.main()
