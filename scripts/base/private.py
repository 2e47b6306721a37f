"""Files that their owner alone may read."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from base.errors import ScriptError


def read_private(path: Path, entries: str) -> "dict[str, Any] | None":
    """The JSON document there, which has a list of objects of that name; None if there is no file. Raises ScriptError."""
    try:
        document: "dict[str, Any]" = json.loads(path.read_text(encoding="utf-8"))
        if not all(isinstance(entry, dict) for entry in document[entries]):
            raise ValueError(f"{entries} must be objects")
        return document
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ScriptError(f"{path} is no file of {entries}: {error}") from None


def write_private(path: Path, document: "dict[str, Any]") -> None:
    """Puts a JSON document there at once, so that a reader never sees half of it; the directory's owner can read it.

    Raises ScriptError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")  # with mode 0600
        try:
            with os.fdopen(file, "w", encoding="utf-8") as out:
                json.dump(document, out, indent=2)
                out.write("\n")
            if os.geteuid() == 0:
                owner = path.parent.stat()
                os.chown(name, owner.st_uid, owner.st_gid)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise ScriptError(f"{path} cannot be written: {error.strerror}") from None
