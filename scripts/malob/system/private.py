"""Files that their owner alone may read, in a directory that may belong to another user.

Root changes tokens.json and agents.json in the controller's data directory, which belongs to the service's user. That user can
put links there and replace files at any moment. So files are opened below an open directory, are never reached through a link,
and are checked and given away by their descriptors.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Callable, Protocol

from malob.errors import ScriptError

#: For so long a change waits for another one of the same file.
_PATIENCE_S = 10.0
_MAX_LINKS = 20

_ON_THE_WAY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: Without O_NONBLOCK, a FIFO in place of a file would block the program that opens it.
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Kept(Protocol):
    """A JSON document that a controller reads: a file, or a key in etcd. str() of it is its place."""

    def read(self) -> dict[str, Any] | None:
        """The document; None if there is none. Raises ScriptError."""

    def change(self, edit: Callable[[dict[str, Any] | None], dict[str, Any]]) -> None:
        """Replaces the document by what edit() makes of it, which may be called again if another command was first. Raises ScriptError."""


class PrivateFile:
    """A document in a file. entries: its list of objects. Each change locks the file, reads it anew, and writes it whole, for its owner alone."""

    def __init__(self, path: Path, entries: str) -> None:
        self._path, self._entries = path, entries

    def __str__(self) -> str:
        return str(self._path)

    def read(self) -> dict[str, Any] | None:
        try:
            directory = _open_directory(self._path.parent, make=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ScriptError(f"{self} cannot be read: {error.strerror}") from None
        try:
            return self._read(directory)
        finally:
            os.close(directory)

    def change(self, edit: Callable[[dict[str, Any] | None], dict[str, Any]]) -> None:
        with self.locked() as directory:
            self._write(directory, edit(self._read(directory)))

    @contextmanager
    def locked(self) -> Iterator[int]:
        """Holds the lock of the file, and gives its directory, which is made if it is not there. Raises ScriptError."""
        with ExitStack() as opened:
            try:
                directory = _open_directory(self._path.parent, make=True)
                opened.callback(os.close, directory)
                opened.callback(os.close, self._lock(directory))
                yield directory
            except OSError as error:
                raise ScriptError(f"{self} cannot be written: {error.strerror}") from None

    def _read(self, directory: int) -> dict[str, Any] | None:
        try:
            file = os.open(self._path.name, os.O_RDONLY | _FILE, dir_fd=directory)
            with os.fdopen(file, encoding="utf-8") as text:
                _check(self._path, os.fstat(file), os.fstat(directory))
                return document_of(text.read(), self._entries)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise ScriptError(f"{self} is a symbolic link, and is not followed") from None
            raise ScriptError(f"{self} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ScriptError(f"{self} is not a file of {self._entries}: {error}") from None

    def _write(self, directory: int, document: dict[str, Any]) -> None:
        """Replaces the file at once, so that a reader never sees half of it; the directory's owner can read it."""
        temporary = f".{self._path.stem}-{secrets.token_hex(8)}"
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=directory)
        try:
            with os.fdopen(file, "w", encoding="utf-8") as out:
                json.dump(document, out, indent=2)
                out.write("\n")
                out.flush()
                _give_to_owner(directory, file)
                os.fsync(file)
            os.replace(temporary, self._path.name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=directory)
            raise

    def _lock(self, directory: int) -> int:
        """A descriptor that holds the lock until it is closed. The file itself is replaced by each change."""
        name = f".{self._path.name}.lock"
        try:
            lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=directory)
            _give_to_owner(directory, lock)
        except FileExistsError:
            lock = os.open(name, os.O_RDWR | _FILE, dir_fd=directory)
        deadline = time.monotonic() + _PATIENCE_S
        try:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return lock
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise ScriptError(f"another command is changing {self}; waited {_PATIENCE_S:g} s for it") from None
                    time.sleep(0.02)
        except BaseException:
            os.close(lock)
            raise


def document_of(text: str, entries: str) -> dict[str, Any]:
    """Parses a document that has a list of objects of that name. Raises ValueError, KeyError, TypeError or RecursionError."""
    document: dict[str, Any] = json.loads(text)
    if not all(isinstance(entry, dict) for entry in document[entries]):
        raise ValueError(f"{entries} must be objects")
    return document


def _check(path: Path, file: os.stat_result, directory: os.stat_result) -> None:
    """Raises ScriptError unless this user, or the directory's owner, has created the file."""
    if not stat.S_ISREG(file.st_mode):
        raise ScriptError(f"{path} is not a regular file")
    if file.st_nlink > 1:
        raise ScriptError(f"{path} has other names (hard links), and is not used")
    # what root writes is given to the directory's owner
    if file.st_uid != directory.st_uid and (os.geteuid() == 0 or file.st_uid != os.geteuid()):
        raise ScriptError(f"{path} belongs to user {file.st_uid}, and its directory to user {directory.st_uid}: make both the same with chown")


def _give_to_owner(directory: int, file: int) -> None:
    owner, made = os.fstat(directory), os.fstat(file)
    # services may not call chown at all, and need not
    if os.geteuid() == 0 and (made.st_uid, made.st_gid) != (owner.st_uid, owner.st_gid):
        os.fchown(file, owner.st_uid, owner.st_gid)


def _open_directory(path: Path, make: bool) -> int:
    """A descriptor of the directory. A symbolic link on the way is followed only if it is root's or our own.

    Raises OSError, or ScriptError for a link of another user.
    """
    names = list(reversed(path.absolute().parts[1:]))
    links = 0
    here = os.open("/", _ON_THE_WAY)
    try:
        while names:
            name = names.pop()
            target = _link_target(here, name)
            if target is None:
                below = _open_below(here, name, make)
            else:
                links += 1
                if links > _MAX_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                names += reversed([part for part in target.parts if part != "/"])
                below = os.open("/" if target.is_absolute() else ".", _ON_THE_WAY, dir_fd=here)
            os.close(here)
            here = below
        return here
    except BaseException:
        os.close(here)
        raise


def _link_target(directory: int, name: str) -> Path | None:
    """Where a symbolic link leads to; None if there is none of that name."""
    try:
        found = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(found)
        if not stat.S_ISLNK(status.st_mode):
            return None
        if status.st_uid not in (0, os.geteuid()):
            raise ScriptError(f"the symbolic link {name} belongs to user {status.st_uid}, and is not followed")
        return Path(os.readlink("", dir_fd=found))
    finally:
        os.close(found)


def _open_below(directory: int, name: str, make: bool) -> int:
    try:
        return os.open(name, _ON_THE_WAY, dir_fd=directory)
    except FileNotFoundError:
        if not make:
            raise
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=directory)
        return os.open(name, _ON_THE_WAY, dir_fd=directory)
