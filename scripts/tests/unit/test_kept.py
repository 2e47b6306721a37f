from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import unittest
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

from malob.cli import cluster
from malob.cli.agents import AgentsFile
from malob.cli.tokens import TokensFile
from malob.errors import MissingError, ScriptError, UsageError
from malob.rest import etcd
from malob.rest.etcd import Access, Etcd, EtcdDocument
from malob.system.place import ROOT
from malob.system.ports import free_port, free_ports
from malob.system.waiting import wait_until


class EtcdDocumentTest(unittest.TestCase):
    """Tokens and agents in a real etcd of one server."""

    server: cluster.Server
    resources: ExitStack

    @classmethod
    def setUpClass(cls) -> None:
        cls.resources = ExitStack()
        cls.addClassCleanup(cls.resources.close)
        directory = Path(cls.resources.enter_context(tempfile.TemporaryDirectory()))
        client_port, peer_port = free_ports(2)
        cls.server = cluster.Server("one", client_port, peer_port, directory / "one")
        cls.resources.enter_context(cluster.running([cls.server]))
        wait_until(cls.server.serves, "etcd to serve", 30, 0.05)

    def etcd(self, login: tuple[str, str] | None = None) -> Etcd:
        # the first server does not answer: it is left for the next
        urls = [f"http://127.0.0.1:{free_port()}", self.server.url]
        return Etcd(Access(urls, f"/{self._testMethodName}/", login=login))

    def run_it(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        place = ("--etcd", self.server.url, "--etcd-prefix", f"/{self._testMethodName}/")
        program = [sys.executable, "-B", str(ROOT / "scripts" / "command.py"), "malob.cli", command, *place, *arguments]
        return subprocess.run(program, capture_output=True, text=True, timeout=30)

    def test_commands_change_the_documents_that_controllers_read(self) -> None:
        token = self.run_it("token", "add", "ops", "--role", "admin")
        self.assertEqual(0, token.returncode, token.stderr)
        taken = self.run_it("token", "add", "ops", "--role", "admin")
        self.assertEqual((2, ""), (taken.returncode, taken.stdout))
        self.assertIn("token ops already exists", taken.stderr)
        self.assertEqual([{"name": "ops", "role": "admin"}], json.loads(self.run_it("token", "list", "--json").stdout))
        gone = self.run_it("agent", "remove", "web1")
        self.assertIn(f"there is no agent web1 in etcd's key /{self._testMethodName}/docs/agents", gone.stderr)
        value, revision = self.etcd().read("docs/tokens")
        assert value is not None
        self.assertEqual(["ops"], [each["name"] for each in json.loads(value)["tokens"]])
        self.assertNotIn(token.stdout.strip(), value)
        self.assertGreater(revision, 0)

    def test_key_is_rotated_and_the_agent_removed(self) -> None:
        agents = AgentsFile(EtcdDocument(self.etcd(), "agents"))
        before = agents.add("web1", "server", "10.0.0.1")
        rotated = agents.rotate("web1", 60, 1000)
        self.assertEqual({"id": "web1", "key": rotated["key"], "address": "10.0.0.1"}, rotated)
        self.assertEqual((before, 1060), (agents.entries[0]["former_key"], agents.entries[0]["former_until"]))
        agents.remove("web1")
        self.assertEqual([], agents.entries)

    def test_no_concurrent_change_is_lost(self) -> None:
        def add(number: int) -> None:
            tokens = TokensFile(EtcdDocument(self.etcd(), "tokens"))
            for turn in range(3):
                tokens.add(f"t{number}-{turn}", "admin")

        threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        names = {token["name"] for token in TokensFile(EtcdDocument(self.etcd(), "tokens")).entries}
        self.assertEqual({f"t{number}-{turn}" for number in range(4) for turn in range(3)}, names)

    def test_change_that_was_made_although_its_answer_was_lost_counts_as_made(self) -> None:
        client = self.etcd()
        self.assertTrue(client.replace("docs/x", 0, "one"))
        self.assertTrue(client.replace("docs/x", 0, "one"), "its own value")
        self.assertFalse(client.replace("docs/x", 0, "two"))
        self.assertEqual("one", client.read("docs/x")[0])

    def test_document_of_another_form_is_refused(self) -> None:
        self.etcd().replace("docs/tokens", 0, '{"tokens": [1]}')
        with self.assertRaisesRegex(ScriptError, "docs/tokens is not a document of tokens: tokens must be objects"):
            TokensFile(EtcdDocument(self.etcd(), "tokens")).add("ops", "admin")

    def test_no_server_answers(self) -> None:
        client = Etcd(Access([f"http://127.0.0.1:{free_port()}"], "/x/"))
        with mock.patch.object(etcd, "_PATIENCE_S", 0.2), self.assertRaisesRegex(MissingError, "etcd has no quorum or cannot be reached"):
            client.read("docs/tokens")

    def test_zz_user_and_password(self) -> None:
        """the last one by name: afterwards etcd asks for a password"""
        admin = self.etcd()
        for path, request in (
            ("user/add", {"name": "root", "password": "secret"}),
            ("role/add", {"name": "root"}),
            ("user/grant", {"user": "root", "role": "root"}),
            ("enable", {}),
        ):
            admin._ask(f"/v3/auth/{path}", request)
        with self.assertRaisesRegex(ScriptError, "etcd refused the request: .*user name is empty"):
            self.etcd().read("docs/tokens")
        with self.assertRaisesRegex(ScriptError, "etcd refused the request: .*authentication failed") as wrong:
            self.etcd(login=("root", "wrong")).read("docs/tokens")
        self.assertNotIn("wrong", str(wrong.exception))
        tokens = TokensFile(EtcdDocument(self.etcd(login=("root", "secret")), "tokens"))
        tokens.add("ops", "admin")
        self.assertEqual("ops", tokens.entries[0]["name"])


class OptionsTest(unittest.TestCase):
    """Options that contradict each other are named, and nothing is asked."""

    def refused(self, *options: str) -> str:
        from malob.cli.stored import kept
        from malob.cli.tokens import parser

        with self.assertRaises(UsageError) as refused:
            kept(parser().parse_args([*options, "list"]), "tokens")
        return str(refused.exception)

    def test_each_error_names_its_option(self) -> None:
        with tempfile.NamedTemporaryFile("w") as file:
            Path(file.name).chmod(0o644)
            for expected, options in (
                ("--data: not allowed", ["--etcd", "http://a:1", "--data", "/x"]),
                ("--etcd-user: needs --etcd", ["--etcd-user", "u"]),
                ("--etcd-password-file: needs --etcd", ["--etcd-password-file", "f"]),
                ("--etcd: expected", ["--etcd", "ftp://a:1"]),
                ("--etcd: expected", ["--etcd", "http://u:secret@a:1"]),
                ("--etcd: expected", ["--etcd", "http://a"]),
                ("--etcd: expected", ["--etcd", ","]),
                ("--etcd-prefix: expected", ["--etcd", "http://a:1", "--etcd-prefix", "malob"]),
                ("--etcd-ca: needs servers with https", ["--etcd", "http://a:1", "--etcd-ca", "f"]),
                ("--etcd-key: is missing", ["--etcd", "https://a:1", "--etcd-certificate", "f"]),
                ("--etcd-password-file: is missing", ["--etcd", "https://a:1", "--etcd-user", "u"]),
                ("--etcd-user: needs https", ["--etcd", "http://192.0.2.1:1", "--etcd-user", "u", "--etcd-password-file", file.name]),
                ("chmod 600", ["--etcd", "http://127.0.0.1:1", "--etcd-user", "u", "--etcd-password-file", file.name]),
                ("TLS to etcd", ["--etcd", "https://a:1", "--etcd-ca", "/nothing"]),
            ):
                with self.subTest(options=options):
                    told = self.refused(*options)
                    self.assertIn(expected, told)
                    self.assertNotIn("secret", told)
