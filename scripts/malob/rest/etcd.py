"""Documents in the etcd that the controllers of a cluster share, through etcd's JSON gateway."""

from __future__ import annotations

import base64
import http.client
import json
import re
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable
from urllib.parse import urlsplit

from malob.errors import MissingError, ScriptError
from malob.system.private import document_of

#: etcd's limit for a request is smaller
_MAX_BYTES = 16 * 1024 * 1024
_TIMEOUT_S = 2
#: for so long a change is tried without a quorum, or while others change the same document
_PATIENCE_S = 10.0
_PAUSE_S = 0.1


@dataclass(frozen=True)
class Access:
    """Where etcd is, and how to be let in. prefix: of all keys. login: user and password."""

    endpoints: Sequence[str]
    prefix: str
    tls: ssl.SSLContext | None = None
    login: tuple[str, str] | None = field(default=None, repr=False)


class EtcdError(ScriptError):
    """A server has refused a request."""


class _NoAnswer(Exception):
    """Whether the request took effect is not known."""


class Etcd:
    """A client; for one thread. A server that does not answer is left for the next."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self._servers = list(access.endpoints)
        self._token: str | None = None

    def read(self, key: str) -> tuple[str | None, int]:
        """The value of a key, None if there is none, and the revision of its latest change, then 0. Raises ScriptError."""
        answer = self._ask("/v3/kv/range", {"key": self._key(key)})
        return _item(answer)

    def replace(self, key: str, revision: int, value: str) -> bool:
        """Sets a value if that is the revision of the latest change of the key; whether it did. Raises ScriptError."""
        condition = {"key": self._key(key), "target": "MOD", "result": "EQUAL", "mod_revision": str(revision)}
        request = {
            "compare": [condition],
            "success": [{"request_put": {"key": self._key(key), "value": _encoded(value)}}],
            "failure": [{"request_range": {"key": self._key(key)}}],
        }
        # after a lost answer the same request is repeated: of two, one takes effect
        answer = self._ask("/v3/kv/txn", request)
        if answer.get("succeeded"):
            return True
        return _item(answer.get("responses", [{}])[0].get("response_range", {}))[0] == value

    def _key(self, key: str) -> str:
        return _encoded(self.access.prefix + key)

    def _ask(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                if self.access.login is not None and self._token is None:
                    user, password = self.access.login
                    self._token = str(self._send("/v3/auth/authenticate", {"name": user, "password": password})["token"])
                return self._send(path, request)
            except _NoAnswer as error:
                self._servers.append(self._servers.pop(0))
                if time.monotonic() > deadline:
                    raise MissingError(f"etcd has no quorum or cannot be reached ({error})") from None
                time.sleep(_PAUSE_S)

    def _send(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        server = urlsplit(self._servers[0])
        # a server without a leader refuses at once
        headers = {"Content-Type": "application/json", "Grpc-Metadata-hasleader": "true"}
        if self._token is not None:
            headers["Authorization"] = self._token
        assert server.hostname is not None
        connection = (
            http.client.HTTPSConnection(server.hostname, server.port, timeout=_TIMEOUT_S, context=self.access.tls)
            if server.scheme == "https"
            else http.client.HTTPConnection(server.hostname, server.port, timeout=_TIMEOUT_S)
        )
        try:
            connection.request("POST", path, json.dumps(request), headers)
            answer = connection.getresponse()
            document = json.loads(answer.read(_MAX_BYTES))
        except ssl.SSLError as error:
            raise ScriptError(f"{self._servers[0]}: {error}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _NoAnswer(f"{self._servers[0]}: {error}") from None
        finally:
            connection.close()
        if not isinstance(document, dict):
            raise _NoAnswer(f"{self._servers[0]}: the answer is not etcd's")
        if answer.status != 200 or "error" in document:
            self._refused(answer.status, str(document.get("error") or document.get("message") or answer.status))
        return document

    def _refused(self, status: int, why: str) -> None:
        if "invalid auth token" in why and self._token is not None:
            self._token = None
            raise _NoAnswer(why)
        # unavailable, timed out, or without a leader
        if status in (503, 504) or re.search(r"no leader|timed out|leader changed", why):
            raise _NoAnswer(f"{self._servers[0]}: {why}")
        raise EtcdError(f"etcd refused the request: {why}")


class EtcdDocument:
    """A document that the controllers of a cluster read. entries: its list of objects, and its name."""

    def __init__(self, etcd: Etcd, entries: str) -> None:
        self._etcd, self._entries = etcd, entries
        self._key = f"docs/{entries}"

    def __str__(self) -> str:
        return f"etcd's key {self._etcd.access.prefix}{self._key}"

    def read(self) -> dict[str, Any] | None:
        return self._read()[0]

    def _read(self) -> tuple[dict[str, Any] | None, int]:
        text, revision = self._etcd.read(self._key)
        try:
            return (None if text is None else document_of(text, self._entries)), revision
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ScriptError(f"{self} is not a document of {self._entries}: {error}") from None

    def change(self, edit: Callable[[dict[str, Any] | None], dict[str, Any]]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            document, revision = self._read()
            if self._etcd.replace(self._key, revision, json.dumps(edit(document), indent=2) + "\n"):
                return
            if time.monotonic() > deadline:
                raise ScriptError(f"others are changing {self}; waited {_PATIENCE_S:g} s for them")


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode("utf-8")).decode("ascii")


def _item(found: dict[str, Any]) -> tuple[str | None, int]:
    items = found.get("kvs")
    if not items:
        return None, 0
    return base64.b64decode(items[0].get("value", "")).decode("utf-8"), int(items[0]["mod_revision"])
