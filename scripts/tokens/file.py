"""The controller's file of tokens: tokens.json in its data directory. It has hashes only."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path
from typing import Any

from base.errors import UsageError
from base.private import read_private, write_private

ROLES = ("admin", "read-only")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,32}")
_TOKEN_BYTES = 32


class TokensFile:
    """Reads the file when it is made, and writes it whole, readable by its owner alone, with each change."""

    def __init__(self, path: Path) -> None:
        """Raises ScriptError if there is a file that cannot be read."""
        self.path = path
        document = read_private(path, "tokens") or {"tokens": []}
        self.tokens: "list[dict[str, Any]]" = document["tokens"]

    def add(self, name: str, role: str) -> str:
        """A new token, which is returned and kept nowhere. Raises UsageError if the name is wrong or taken."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"NAME: expected 1 to 32 letters, digits, dots, dashes or underscores, not '{name}'")
        if any(token.get("name") == name for token in self.tokens):
            raise UsageError(f"there is a token {name} already; './malob token remove {name}' takes it away")
        token = "malob_" + secrets.token_urlsafe(_TOKEN_BYTES)
        digest = hashlib.sha256(token.encode("ascii")).hexdigest()
        self._write([*self.tokens, {"name": name, "role": role, "sha256": digest}])
        return token

    def remove(self, name: str) -> None:
        """Takes a token away. Raises UsageError if there is none of that name."""
        others = [token for token in self.tokens if token.get("name") != name]
        if len(others) == len(self.tokens):
            raise UsageError(f"there is no token {name} in {self.path}")
        self._write(others)

    def _write(self, tokens: "list[dict[str, Any]]") -> None:
        write_private(self.path, {"tokens": tokens})
        self.tokens = tokens
