"""The token of an end host's controller: REST requests need it, so that only root changes the routes of root's traffic."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from malob.errors import MissingError
from malob.system.private import PrivateFile

_TOKEN_BYTES = 32


class Token:
    """A file that root alone can read, in the directory of the end host of a network namespace."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "token"

    def read(self) -> str | None:
        """None if there is none, as of a controller from an earlier version. Raises MissingError if only root may read it."""
        try:
            return self._file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        except PermissionError:
            raise MissingError(f"this needs root, for the controller's token in {self._file}") from None

    def give_to(self, data: Path) -> None:
        """Lets a controller with this data directory accept this token, and no other. Makes the token if there is none."""
        token = self.read() or self._make()
        digest = hashlib.sha256(token.encode("ascii")).hexdigest()
        accepted = {"tokens": [{"name": "root", "role": "admin", "sha256": digest}]}
        PrivateFile(data / "tokens.json", "tokens").change(lambda _known: accepted)

    def _make(self) -> str:
        token = "malob_" + secrets.token_urlsafe(_TOKEN_BYTES)
        new = self._file.with_name(f".token-{secrets.token_hex(8)}")
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
            out.write(token + "\n")
        new.replace(self._file)
        return token
