"""A client of a controller's REST interface."""

from __future__ import annotations

import http.client
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from malob.errors import MissingError, ScriptError, UsageError

JSON = "application/json"
YAML = "application/yaml"

_PRECONDITION_FAILED = 412

#: Of connections, the controller's limit.
MAX_PAGE_SIZE = 1000

#: No more than this is read of an answer; no document of a controller comes near.
MAX_BYTES = 256 * 1024 * 1024


class RestError(ScriptError):
    """The controller rejected a request. status: 0 if there was no answer. field: the field at fault, or None."""

    def __init__(self, text: str, status: int, body: Any = None) -> None:
        super().__init__(text)
        self.status = status
        self.body = body

    @property
    def sentence(self) -> str:
        """The controller's own words, without the request."""
        told = self.body.get("error") if isinstance(self.body, dict) else None
        return str(told) if told else str(self)

    @property
    def field(self) -> str | None:
        told = self.body.get("field") if isinstance(self.body, dict) else None
        return str(told) if told else None


@dataclass(frozen=True)
class Answer:
    """What came back. headers: by name in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def etag(self) -> str | None:
        return self.headers.get("etag")

    @property
    def next(self) -> str | None:
        """The path of the page that follows, of a collection in pages; None after the last."""
        found = re.search(r'<([^>]*)>\s*;[^,]*\brel="?next"?', self.headers.get("link", ""))
        if found is None:
            return None
        target = urlsplit(found[1])
        return target.path + (f"?{target.query}" if target.query else "")


def split_url(text: str) -> SplitResult | None:
    """The parts of http://HOST, https://HOST, or either with a port; None for other texts, also for URLs with a path or a user."""
    try:
        parts = urlsplit(text)
        wrong = parts.port == 0 or parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None
    except ValueError:
        return None
    return None if wrong or parts.scheme not in ("http", "https") or not parts.hostname else parts


@dataclass(frozen=True)
class Target:
    """Where a controller is, and the token that it wants, if any. The token is not shown."""

    scheme: str
    host: str
    port: int
    token: str | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


class RestClient:
    """Talks JSON to one controller. Connections are not kept, so it is safe for several threads."""

    def __init__(self, target: Target, timeout_s: float = 10) -> None:
        self.target = target
        self.timeout_s = timeout_s

    @property
    def url(self) -> str:
        return self.target.url

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def change(self, path: str, body: dict[str, Any], what: str) -> Any:
        """PUT of something that is there. Raises RestError that names it if it is not: PUT alone would make it."""
        try:
            return self.json_of(self.ask("PUT", path, body, {"If-Match": "*"}), f"PUT {path}")
        except RestError as error:
            if error.status == _PRECONDITION_FAILED:
                raise RestError(f"{what} does not exist", 404) from None
            raise

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.call("POST", path, body)

    def put(self, path: str, body: dict[str, Any]) -> Any:
        return self.call("PUT", path, body)

    def delete(self, path: str) -> Any:
        return self.call("DELETE", path)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer's JSON, None if it is empty. Raises RestError unless the status is 2xx."""
        return self.json_of(self.ask(method, path, body), f"{method} {path}")

    def get_all(self, path: str) -> list[Any]:
        """A whole collection, page by page. Raises RestError."""
        items: list[Any] = []
        following: str | None = path
        asked: set[str] = set()
        while following is not None:
            if following in asked:
                raise RestError(f"GET {path}: its pages form a loop", 0)
            asked.add(following)
            answer = self.ask("GET", following)
            items += self.json_of(answer, f"GET {following}")
            following = answer.next
        return items

    def connections(self, filters: Mapping[str, str], limit: int) -> dict[str, Any]:
        """Up to limit connections of the balancer, in the controller's own JSON; next: not None if there are more. Raises RestError."""
        connections: list[dict[str, Any]] = []
        following = None
        while True:
            query = {**filters, "limit": str(min(limit - len(connections), MAX_PAGE_SIZE))}
            if following is not None:
                query["next"] = following
            page = self.get("/wm/malob/connections?" + urlencode(query))
            connections += page["connections"]
            following = page["next"]
            if following is None or len(connections) >= limit:
                return {"connections": connections, "next": following}

    def get_text(self, path: str, accept: str | None = None) -> str:
        """The answer as it is, a picture for example. Raises RestError unless the status is 2xx."""
        return self.ask("GET", path, headers={"Accept": accept} if accept else {}).text

    def answers(self) -> bool:
        """Whether the controller says that it is healthy."""
        try:
            return bool(self.get("/wm/core/health/json").get("healthy"))
        except (RestError, AttributeError):
            return False

    def switch_count(self) -> int:
        """How many switches are connected; 0 if there is no answer."""
        try:
            return len(self.get("/wm/core/controller/switches/json"))
        except RestError:
            return 0

    def link_count(self) -> int:
        """How many links between switches are known in both directions; 0 if there is no answer."""
        try:
            links = self.get("/wm/topology/links/json")
        except RestError:
            return 0
        directions = set()
        for link in links:
            ends = (link["src-switch"], link["src-port"]), (link["dst-switch"], link["dst-port"])
            directions.add(ends)
            if link["direction"] == "bidirectional":
                directions.add(ends[::-1])
        return sum(1 for first, second in directions if first < second and (second, first) in directions)

    def curl_line(self, method: str, path: str, body: dict[str, Any] | None = None) -> str:
        """The same request as a command for a shell."""
        words = ["curl"]
        if method not in ("GET", "POST"):
            words += ["-X", method]
        if body is not None:
            words += ["-d", shlex.quote(json.dumps(body))]
        return " ".join([*words, f"{self.url}{path}"])

    def ask(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | str | None = None,
        headers: Mapping[str, str] = {},
    ) -> Answer:
        """The complete response. body: sent as JSON; a string is sent unchanged. Raises RestError unless the status is 2xx."""
        sent = {"Content-Type": JSON} if body is not None else {}
        if self.target.token is not None:
            sent["Authorization"] = f"Bearer {self.target.token}"
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        answer = self._exchange(method, path, text, {**sent, **headers})
        if not 200 <= answer.status < 300:
            raise _refusal(f"{method} {path}", answer)
        return answer

    @staticmethod
    def json_of(answer: Answer, request: str) -> Any:
        """The JSON of an answer, None if it is empty. Raises RestError if it is none."""
        try:
            return json.loads(answer.text) if answer.text.strip() else None
        except ValueError:
            raise RestError(f"{request}: the answer is not JSON: {answer.text[:80]!r}", answer.status) from None

    def _exchange(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Answer:
        kind = http.client.HTTPSConnection if self.target.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.target.host, self.target.port, timeout=self.timeout_s)
        try:
            connection.request(method, path, None if body is None else body.encode("utf-8"), dict(headers))
            answer = connection.getresponse()
            text = answer.read(MAX_BYTES).decode("utf-8", "replace")
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)
        except (OSError, http.client.HTTPException) as error:
            raise RestError(f"{method} {path}: no answer from the controller ({error})", 0) from None
        finally:
            connection.close()


def _refusal(request: str, answer: Answer) -> RestError:
    try:
        body = json.loads(answer.text)
    except ValueError:
        body = None
    told = body.get("error") if isinstance(body, dict) else None
    reason = told or answer.text.strip()[:120]
    return RestError(f"{request}: {answer.status}: {reason}" if reason else f"{request}: {answer.status}", answer.status, body)


def segment(text: str) -> str:
    """Quotes a string as one segment of a path."""
    return quote(text, safe="")


@contextmanager
def asking(client: RestClient, options: Mapping[str, str] = {}) -> Iterator[None]:
    """Around requests for a user: an error of the controller becomes one sentence and the right exit code.

    options: by field of the REST interface, the option or argument that it came from, if that is not --field.
    MissingError if no controller answers, or it requires a token; UsageError for an invalid value (400); RestError for the rest.
    """
    try:
        yield
    except RestError as error:
        if error.status == 0:
            raise MissingError(_no_answer(client, error)) from None
        if error.status in (401, 403):
            raise MissingError(f"the controller at {client.url} {_token_words(client, error.status)}") from None
        told = f"{_option(error.field, options)}{error.sentence}"
        if error.status == 400:
            raise UsageError(told) from None
        raise RestError(told, error.status, error.body) from None


def _no_answer(client: RestClient, error: RestError) -> str:
    cause = re.search(r"\((.*)\)$", str(error))
    refused = cause is None or "refused" in cause[1]
    return f"no controller answers at {client.url}" + ("" if refused or cause is None else f": {cause[1]}")


def _token_words(client: RestClient, status: int) -> str:
    if client.target.token is None:
        return "requires a token; set MALOB_TOKEN"
    return "does not accept this token; check MALOB_TOKEN" if status == 401 else "does not allow this for this token"


def _option(blamed: str | None, options: Mapping[str, str]) -> str:
    # a field deep in a document, as hosts.3.mac, is no option
    if blamed is None or not re.fullmatch(r"[a-z_]+", blamed):
        return ""
    return options.get(blamed, "--" + blamed.replace("_", "-")) + ": "
