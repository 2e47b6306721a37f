from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from malob.cli.apply import lines, main, read
from malob.errors import ScriptError, UsageError
from malob.rest.client import RestError
from tests.unit.answering import Reply, Request, serving

_ADDED: dict[str, Any] = {
    "kind": "vip",
    "id": "web",
    "action": "add",
    "before": None,
    "after": {"id": "web", "address": "10.0.0.100", "port": 80, "protocol": None, "pools": []},
}
_CHANGED = {
    "kind": "member",
    "id": "a1",
    "action": "change",
    "before": {"id": "a1", "weight": 1, "port": 80},
    "after": {"id": "a1", "weight": 3, "port": 80, "admin_state": "up"},
}
_REMOVED = {"kind": "pool", "id": "p", "action": "remove", "before": {"id": "p", "vip_id": "web"}, "after": None}


class ViewTest(unittest.TestCase):
    def test_changes_are_lines_with_what_is_different(self) -> None:
        self.assertEqual(
            ["+ vip web    address 10.0.0.100, port 80", "~ member a1  weight 1 -> 3, admin_state none -> up", "- pool p     vip_id web"],
            lines([_ADDED, _CHANGED, _REMOVED], False),
        )

    def test_terminal_has_colours(self) -> None:
        self.assertEqual(["\033[31m- pool p  vip_id web\033[0m"], lines([_REMOVED], True))


class ReadTest(unittest.TestCase):
    def _kind(self, name: str, text: str) -> str:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, name)
            file.write_text(text)
            return read(str(file)).kind

    def test_kind_is_told_by_the_name_or_else_by_the_beginning(self) -> None:
        self.assertEqual("application/yaml", self._kind("x.yml", "{}"))
        self.assertEqual("application/json", self._kind("x.JSON", "vips: []"))
        self.assertEqual("application/json", self._kind("x", "\n {}"))
        self.assertEqual("application/yaml", self._kind("x", "vips: []"))

    def test_file_that_cannot_be_read_is_wrong_use(self) -> None:
        with self.assertRaisesRegex(UsageError, "cannot read /nowhere/x.yaml: No such file"):
            read("/nowhere/x.yaml")
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\xff\xfe")
            file.flush()
            with self.assertRaisesRegex(UsageError, "is not UTF-8"):
                read(file.name)


class CommandTest(unittest.TestCase):
    """The command against a controller that has one change to make, and records requests."""

    def setUp(self) -> None:
        self.seen: list[Request] = []
        self.changes: list[Any] = [_CHANGED]
        self.refusal: Reply | None = None
        self.etag = '"1"'
        self.on_terminal = False
        self.typed = ""

    def _answer(self, request: Request) -> Reply:
        self.seen.append(request)
        if request.method == "GET":
            yaml = request.headers.get("accept") == "application/yaml"
            return 200, "vips: []\n" if yaml else {"vips": []}, {"ETag": self.etag}
        if self.refusal is not None:
            return self.refusal
        if "dry_run" not in request.path and request.headers.get("if-match") != '"1"':
            return 412, {"error": "the ETag is another one", "field": None}, {}
        return 200, {"changes": self.changes}, {}

    def _run(self, *words: str, command: str = "apply", text: str = "vips: []\n") -> tuple[int, str]:
        out, self.err = io.StringIO(), io.StringIO()
        stdin = mock.Mock(isatty=lambda: self.on_terminal, readline=lambda: self.typed, buffer=io.BytesIO(text.encode()))
        with (
            tempfile.TemporaryDirectory() as directory,
            serving(self._answer) as port,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(self.err),
            mock.patch.object(sys, "stdin", stdin),
            mock.patch.dict("os.environ", {"MALOB_URL": f"http://127.0.0.1:{port}"}),
        ):
            self.file = str(Path(directory, "lb.yaml"))
            Path(self.file).write_text(text)
            arguments = [self.file if word == "FILE" else word for word in words]
            with mock.patch.object(sys, "argv", ["x", command, *arguments]):
                code = main()
        return code, out.getvalue()

    def _posts(self) -> list[str]:
        return [request.path for request in self.seen if request.method == "POST"]

    def test_yes_shows_and_does_what_was_shown(self) -> None:
        code, out = self._run("FILE", "--yes")
        self.assertEqual((0, "~ member a1  weight 1 -> 3, admin_state none -> up\n"), (code, out))
        self.assertEqual(["/wm/malob/config?dry_run=true", "/wm/malob/config"], self._posts())
        self.assertEqual(("application/yaml", "vips: []\n"), (self.seen[-1].headers["content-type"], self.seen[-1].text))
        self.assertEqual("1 change applied\n", self.err.getvalue())

    def test_what_someone_else_has_changed_meanwhile_is_left_alone(self) -> None:
        self.etag = '"2"'
        with self.assertRaisesRegex(RestError, "changed the configuration meanwhile"):
            self._run("FILE", "--yes")

    def test_dry_run_changes_nothing(self) -> None:
        self.assertEqual(0, self._run("FILE", "--dry-run")[0])
        self.assertEqual(["/wm/malob/config?dry_run=true"], self._posts())

    def test_check_tells_by_its_exit_code(self) -> None:
        self.assertEqual(1, self._run("FILE", "--check")[0])
        self.changes = []
        self.assertEqual((0, ""), self._run("FILE", "--check"))
        self.assertEqual("nothing to change\n", self.err.getvalue())
        self.assertNotIn("/wm/malob/config", self._posts())

    def test_nothing_to_change_is_not_put(self) -> None:
        self.changes = []
        self.assertEqual(0, self._run("FILE", "--yes")[0])
        self.assertEqual(["/wm/malob/config?dry_run=true"], self._posts())

    def test_question_is_answered_on_the_terminal(self) -> None:
        self.on_terminal, self.typed = True, "y\n"
        self.assertEqual(0, self._run("FILE")[0])
        self.assertIn("apply this change? [y/N]", self.err.getvalue())
        self.assertIn("/wm/malob/config", self._posts())

    def test_any_other_answer_changes_nothing(self) -> None:
        self.on_terminal, self.typed = True, "\n"
        with self.assertRaisesRegex(ScriptError, "nothing was changed"):
            self._run("FILE")
        self.assertEqual(["/wm/malob/config?dry_run=true"], self._posts())

    def test_without_terminal_yes_is_needed(self) -> None:
        with self.assertRaisesRegex(UsageError, "--yes"):
            self._run("FILE")
        self.on_terminal = True
        with self.assertRaisesRegex(UsageError, "--yes"):
            self._run("-")
        self.assertEqual([], self.seen)

    def test_standard_input_is_sent(self) -> None:
        self._run("-", "--yes", text='{"vips": []}')
        self.assertEqual(("application/json", '{"vips": []}'), (self.seen[-1].headers["content-type"], self.seen[-1].text))

    def test_json_is_one_document(self) -> None:
        self.assertEqual({"changes": [_CHANGED], "applied": True}, json.loads(self._run("FILE", "--yes", "--json")[1]))
        self.assertEqual({"changes": [_CHANGED], "applied": False}, json.loads(self._run("FILE", "--dry-run", "--json")[1]))

    def test_what_is_wrong_in_the_file_is_said_with_its_name(self) -> None:
        self.refusal = (422, {"error": "there is no pool x", "field": "members.0.pool_id"}, {})
        with self.assertRaisesRegex(UsageError, r"lb\.yaml: members\.0\.pool_id: there is no pool x$"):
            self._run("FILE", "--yes")

    def test_config_is_yaml_or_json(self) -> None:
        self.assertEqual((0, "vips: []\n"), self._run(command="config"))
        self.assertEqual({"vips": []}, json.loads(self._run("--json", command="config")[1]))


if __name__ == "__main__":
    unittest.main()
