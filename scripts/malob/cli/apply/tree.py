"""Reads a configuration from a file and applies it to a controller."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.rest.client import JSON, YAML, RestClient, RestError

PATH = "/wm/malob/config"

_KINDS = {".json": JSON, ".yaml": YAML, ".yml": YAML}

_CHANGED_MEANWHILE = 412


@dataclass(frozen=True)
class Document:
    """A file's unparsed text: the controller parses it. name: for errors; kind: its Content-Type."""

    name: str
    kind: str
    text: str


@dataclass(frozen=True)
class Proposal:
    """The changes that a document would make. etag: of the configuration that it would change, None if the controller has none."""

    changes: list[dict[str, Any]]
    etag: str | None


def read(file: str) -> Document:
    """'-' is standard input. Raises UsageError if it cannot be read, or is not text."""
    name = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8") from None
    guess = JSON if text.lstrip()[:1] == "{" else YAML
    return Document(name, _KINDS.get(Path(file).suffix.lower(), guess), text)


def propose(rest: RestClient, document: Document) -> Proposal:
    """The changes that it would make. Raises UsageError if the document is wrong, RestError."""
    # read before the changes: a change in between is detected when they are applied
    etag = rest.ask("GET", PATH).etag
    return Proposal(_changes(rest, document, "?dry_run=true", {}), etag)


def put(rest: RestClient, document: Document, proposal: Proposal) -> list[dict[str, Any]]:
    """Applies all changes or none, and only if the configuration has not changed meanwhile. Returns the changes. Raises as above."""
    return _changes(rest, document, "", {} if proposal.etag is None else {"If-Match": proposal.etag})


def _changes(rest: RestClient, document: Document, query: str, headers: dict[str, str]) -> list[dict[str, Any]]:
    try:
        answer = rest.ask("POST", PATH + query, document.text, {"Content-Type": document.kind, **headers})
    except RestError as error:
        raise _explained(error, document) from None
    found: list[dict[str, Any]] = rest.json_of(answer, f"POST {PATH}")["changes"]
    return found


def _explained(error: RestError, document: Document) -> Exception:
    if error.status == _CHANGED_MEANWHILE:
        return RestError("another client changed the configuration meanwhile; nothing was changed", error.status)
    if error.status not in (400, 409, 422):
        return error
    blamed = f"{error.field}: " if error.field and error.field not in error.sentence else ""
    return UsageError(f"{document.name}: {blamed}{error.sentence}")
