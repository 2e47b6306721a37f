"""The controller's file of tokens: tokens.json in its data directory. It contains only hashes."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.system.private import changing, read_private

ROLES = ("admin", "read-only")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,32}")
_TOKEN_BYTES = 32


class TokensFile:
    """Each change locks the file, reads it anew, and writes it whole, readable by its owner alone. Raises ScriptError if it cannot."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def tokens(self) -> list[dict[str, Any]]:
        """The current tokens of the file."""
        entries: list[dict[str, Any]] = (read_private(self.path, "tokens") or {"tokens": []})["tokens"]
        return entries

    def add(self, name: str, role: str) -> str:
        """Returns a new token, which is not stored. Raises UsageError if the name is wrong or taken."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"NAME: expected 1 to 32 letters, digits, dots, dashes or underscores, not '{name}'")
        with changing(self.path, "tokens") as file:
            tokens = (file.document or {"tokens": []})["tokens"]
            if any(token.get("name") == name for token in tokens):
                raise UsageError(f"token {name} already exists; './malob token remove {name}' removes it")
            token = "malob_" + secrets.token_urlsafe(_TOKEN_BYTES)
            digest = hashlib.sha256(token.encode("ascii")).hexdigest()
            file.write({"tokens": [*tokens, {"name": name, "role": role, "sha256": digest}]})
        return token

    def remove(self, name: str) -> None:
        """Removes a token. Raises UsageError if there is none of that name."""
        with changing(self.path, "tokens") as file:
            tokens = (file.document or {"tokens": []})["tokens"]
            others = [token for token in tokens if token.get("name") != name]
            if len(others) == len(tokens):
                raise UsageError(f"there is no token {name} in {self.path}")
            file.write({"tokens": others})
