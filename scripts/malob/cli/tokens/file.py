"""The tokens of a controller: tokens.json in its data directory, or a document in etcd. Only hashes are stored."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.system.private import Kept, PrivateFile

ROLES = ("admin", "read-only")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,32}")
_TOKEN_BYTES = 32


class TokensFile:
    """The tokens of a controller, or of a cluster. Raises ScriptError if they cannot be read or written."""

    def __init__(self, place: Path | Kept) -> None:
        self._kept: Kept = PrivateFile(place, "tokens") if isinstance(place, Path) else place

    @property
    def tokens(self) -> list[dict[str, Any]]:
        """The current tokens."""
        return _entries(self._kept.read())

    def add(self, name: str, role: str, expires: datetime | None = None) -> str:
        """Returns a new token, which is not stored. expires: in UTC; None for never. Raises UsageError if the name is wrong or taken."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"NAME: expected 1 to 32 letters, digits, dots, dashes or underscores, not '{name}'")
        token = "malob_" + secrets.token_urlsafe(_TOKEN_BYTES)
        entry = {"name": name, "role": role, "sha256": hashlib.sha256(token.encode("ascii")).hexdigest()}
        if expires is not None:
            entry["expires"] = expires.strftime("%Y-%m-%dT%H:%M:%SZ")

        def more(document: dict[str, Any] | None) -> dict[str, Any]:
            tokens = _entries(document)
            if any(known.get("name") == name for known in tokens):
                raise UsageError(f"token {name} already exists; './malob token remove {name}' removes it")
            return {"tokens": [*tokens, entry]}

        self._kept.change(more)
        return token

    def remove(self, name: str) -> None:
        """Removes a token. Raises UsageError if there is none of that name."""

        def fewer(document: dict[str, Any] | None) -> dict[str, Any]:
            tokens = _entries(document)
            others = [token for token in tokens if token.get("name") != name]
            if len(others) == len(tokens):
                raise UsageError(f"there is no token {name} in {self._kept}")
            return {"tokens": others}

        self._kept.change(fewer)


def _entries(document: dict[str, Any] | None) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = (document or {"tokens": []})["tokens"]
    return entries
