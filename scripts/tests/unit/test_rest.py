from __future__ import annotations

import argparse
import contextlib
import io
import unittest
from collections.abc import Mapping
from typing import Any

from malob.cli.target import add_target, client, parse
from malob.errors import MissingError, UsageError
from malob.rest.client import Answer, RestClient, RestError, Target, asking, segment
from tests.unit.answering import Reply, Request, serving


def _client(port: int, token: str | None = None) -> RestClient:
    return RestClient(Target("http", "127.0.0.1", port, token), timeout_s=5)


def _refusing(status: int, error: str, field: str | None = None) -> Any:
    return serving(lambda request: (status, {"error": error, "field": field}, {}))


class ClientTest(unittest.TestCase):
    def test_token_and_body_are_sent(self) -> None:
        seen: list[Request] = []

        def answer(request: Request) -> Reply:
            seen.append(request)
            return 200, {"id": "a"}, {"ETag": '"7"'}

        with serving(answer) as port:
            told = _client(port, "secret").ask("PUT", "/x", {"weight": 2}, {"If-Match": '"6"'})
        self.assertEqual('"7"', told.etag)
        self.assertEqual({"weight": 2}, seen[0].json)
        sent = {name: seen[0].headers.get(name) for name in ("authorization", "content-type", "if-match")}
        self.assertEqual({"authorization": "Bearer secret", "content-type": "application/json", "if-match": '"6"'}, sent)

    def test_token_is_not_shown(self) -> None:
        self.assertNotIn("secret", repr(Target("http", "h", 1, "secret")))

    def test_text_goes_as_it_is(self) -> None:
        seen: list[Request] = []

        def answer(request: Request) -> Reply:
            seen.append(request)
            return 200, {}, {}

        with serving(answer) as port:
            _client(port).ask("POST", "/x", "vips: [ü]\n", {"Content-Type": "application/yaml"})
        self.assertEqual(("vips: [ü]\n", "application/yaml"), (seen[0].text, seen[0].headers["content-type"]))

    def test_pages_are_put_together(self) -> None:
        pages = {
            "/vips/": ([1, 2], '</vips/?limit=2&marker=2>; rel="next"'),
            "/vips/?limit=2&marker=2": ([3], "<http://elsewhere:1/vips/?marker=3>; rel=next"),
            "/vips/?marker=3": ([4], '</vips/>; rel="first"'),
        }

        def answer(request: Request) -> Reply:
            items, link = pages[request.path]
            return 200, items, {"Link": link}

        with serving(answer) as port:
            self.assertEqual([1, 2, 3, 4], _client(port).get_all("/vips/"))

    def test_pages_in_a_circle_end(self) -> None:
        with serving(lambda request: (200, [1], {"Link": '</vips/>; rel="next"'})) as port, self.assertRaisesRegex(RestError, "loop"):
            _client(port).get_all("/vips/")

    def test_refusal_has_reason_status_and_field(self) -> None:
        with _refusing(422, "there is no pool x", "pool_id") as port:
            with self.assertRaisesRegex(RestError, "^POST /m: 422: there is no pool x$") as caught:
                _client(port).post("/m", {})
        self.assertEqual(("there is no pool x", "pool_id"), (caught.exception.sentence, caught.exception.field))

    def test_answer_that_is_not_json_is_an_error(self) -> None:
        with serving(lambda request: (200, "<html>", {})) as port, self.assertRaisesRegex(RestError, "not JSON"):
            _client(port).get("/x")

    def test_what_is_in_an_id_stays_in_its_part_of_the_path(self) -> None:
        self.assertEqual("a%2F..%3Fb", segment("a/..?b"))

    def test_next_page_of_other_relations_is_none(self) -> None:
        self.assertIsNone(Answer(200, {"link": '</a>; rel="prev", </b>; rel="last"'}, "").next)
        self.assertEqual("/b", Answer(200, {"link": '</a>; rel="prev", </b>; rel="next"'}, "").next)


class AskingTest(unittest.TestCase):
    def _asked(self, port: int, options: Mapping[str, str] = {}, token: str | None = None) -> None:
        rest = _client(port, token)
        with asking(rest, options):
            rest.get("/x")

    def test_wrong_value_is_wrong_use_of_its_option(self) -> None:
        with _refusing(400, "weight must be a number", "weight") as port, self.assertRaisesRegex(UsageError, "^--weight: weight must be a number$"):
            self._asked(port)

    def test_field_has_the_name_that_the_command_line_has_for_it(self) -> None:
        with _refusing(422, "there is no pool x", "pool_id") as port, self.assertRaisesRegex(RestError, "^--pool: there is no pool x$"):
            self._asked(port, {"pool_id": "--pool"})

    def test_field_of_a_document_is_no_option(self) -> None:
        with _refusing(400, "hosts.3.mac is none", "hosts.3.mac") as port, self.assertRaisesRegex(UsageError, "^hosts.3.mac is none$"):
            self._asked(port)

    def test_conflict_is_a_failure_in_one_sentence(self) -> None:
        with _refusing(409, "the id web is taken") as port, self.assertRaisesRegex(RestError, "^the id web is taken$") as caught:
            self._asked(port)
        self.assertEqual((1, 409), (caught.exception.exit_code, caught.exception.status))

    def test_no_controller_is_missing(self) -> None:
        with _refusing(404, "") as port:
            pass
        with self.assertRaisesRegex(MissingError, f"^no controller answers at http://127.0.0.1:{port}$"):
            self._asked(port)

    def test_token_that_is_wanted_is_missing(self) -> None:
        with _refusing(401, "who are you?") as port:
            with self.assertRaisesRegex(MissingError, "requires a token; set MALOB_TOKEN"):
                self._asked(port)
            with self.assertRaisesRegex(MissingError, "does not accept this token"):
                self._asked(port, token="x")


class TargetTest(unittest.TestCase):
    def _url(self, words: list[str], environment: Mapping[str, str] = {}) -> str:
        parser = argparse.ArgumentParser(prog="x")
        add_target(parser)
        return client(parser.parse_args(words), environment=environment).url

    def test_option_goes_before_environment_before_default(self) -> None:
        there = {"MALOB_URL": "http://there:1"}
        self.assertEqual("https://here:443", self._url(["--url", "https://here/"], there))
        self.assertEqual("http://[::1]:81", self._url(["--http", "[::1]:81"], there))
        self.assertEqual("http://there:1", self._url([], there))
        self.assertEqual("http://127.0.0.1:8080", self._url([], {"MALOB_URL": ""}))

    def test_nonsense_in_the_environment_is_named(self) -> None:
        with self.assertRaisesRegex(UsageError, "^MALOB_URL: expected http"):
            self._url([], {"MALOB_URL": "localhost:8080"})
        with self.assertRaisesRegex(UsageError, "^MALOB_TOKEN: "):
            self._url([], {"MALOB_TOKEN": "a\nb"})

    def test_nonsense_in_the_option_is_wrong_use(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit) as caught:
            self._url(["--url", "ftp://here"])
        self.assertEqual(2, caught.exception.code)
        self.assertIn("not 'ftp://here'", err.getvalue())

    def test_parse(self) -> None:
        self.assertEqual(Target("http", "::1", 8080), parse("http://[::1]:8080/"))
        for wrong in (
            "",
            "here",
            "http://",
            "http://h:x",
            "http://h:0",
            "http://h:65536",
            "http://h/x",
            "http://h?x",
            "http://me@h",
            "http://[h",
            "http://h h",
        ):
            with self.subTest(wrong=wrong), self.assertRaises(ValueError):
                parse(wrong)


if __name__ == "__main__":
    unittest.main()
