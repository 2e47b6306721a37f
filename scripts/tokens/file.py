"""The controller's file of tokens: tokens.json in its data directory. It has hashes only."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from pathlib import Path
from typing import Any

from base.errors import ScriptError, UsageError
from base.private import write_private

ROLES = ("admin", "read-only")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,32}")
_TOKEN_BYTES = 32


class TokensFile:
    """Reads the file when it is made, and writes it whole, readable by its owner alone, with each change."""

    def __init__(self, path: Path) -> None:
        """Raises ScriptError if there is a file that cannot be read."""
        self.path = path
        self.tokens: "list[dict[str, Any]]" = []
        try:
            self.tokens = json.loads(path.read_text(encoding="utf-8"))["tokens"]
            if not all(isinstance(token, dict) for token in self.tokens):
                raise ValueError("tokens must be objects")
        except FileNotFoundError:
            pass
        except OSError as error:
            raise ScriptError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise ScriptError(f"{path} is no file of tokens: {error}") from None

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
