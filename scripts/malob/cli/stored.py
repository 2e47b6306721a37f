"""Documents of a controller that commands change: in its data directory, or in the etcd of a cluster."""

from __future__ import annotations

import argparse
import ipaddress
import re
import ssl
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable
from urllib.parse import urlsplit

from malob.cli.arguments import Parser
from malob.errors import UsageError
from malob.rest.client import split_url
from malob.rest.etcd import Access, Etcd, EtcdDocument
from malob.system.place import DATA
from malob.system.private import Kept, PrivateFile

_PREFIX = re.compile(r"/([A-Za-z0-9_.-]+/)+")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,32}")


class NamedEntries:
    """The entries of a document, each with a name. Raises ScriptError if they cannot be read or written.

    kind: what './malob KIND' calls an entry; the document has the list "KINDs". key: the field with the name.
    empty: the document before the first entry.
    """

    kind: str
    key: str
    empty: Mapping[str, Any]

    def __init__(self, place: Path | Kept) -> None:
        self._list = f"{self.kind}s"
        self._kept: Kept = PrivateFile(place, self._list) if isinstance(place, Path) else place

    @property
    def entries(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = (self._kept.read() or self.empty)[self._list]
        return entries

    def change(self, edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
        """Replaces the list by what edit() makes of it, which may be called again if another command was first."""

        def edited(document: dict[str, Any] | None) -> dict[str, Any]:
            content = document or self.empty
            return {**content, self._list: edit(content[self._list])}

        self._kept.change(edited)

    def find(self, entries: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
        """Raises UsageError if there is none of that name."""
        for entry in entries:
            if entry.get(self.key) == name:
                return entry
        raise UsageError(f"there is no {self.kind} {name} in {self._kept}")

    def remove(self, name: str) -> None:
        """Raises UsageError if there is none of that name."""

        def fewer(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
            self.find(entries, name)
            return [entry for entry in entries if entry.get(self.key) != name]

        self.change(fewer)

    def check_new(self, argument: str, name: str, entries: Sequence[Mapping[str, Any]] = ()) -> None:
        """Raises UsageError if the name is wrong, or one of the entries has it. argument: the name's, on the command line."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"{argument}: expected 1 to 32 letters, digits, dots, dashes or underscores, not '{name}'")
        if any(entry.get(self.key) == name for entry in entries):
            raise UsageError(f"{self.kind} {name} already exists; './malob {self.kind} remove {name}' removes it")


def add_place(parser: Parser) -> None:
    """The options that select the place; those of etcd are named like the settings of a controller in a cluster."""
    parser.add_argument("--data", type=Path, metavar="DIR", help=f"the controller's data directory (default {DATA})")
    parser.add_argument("--etcd", metavar="URLS", help="in a cluster: the servers of its etcd, http://HOST:PORT,...")
    parser.add_argument("--etcd-prefix", metavar="PREFIX", help="the beginning of the cluster's keys (default /malob/)")
    parser.add_argument("--etcd-ca", metavar="FILE", type=Path, help="certificates of the authorities of etcd's servers")
    parser.add_argument("--etcd-certificate", metavar="FILE", type=Path, help="certificate of this client, if etcd asks for one")
    parser.add_argument("--etcd-key", metavar="FILE", type=Path, help="its key (mode 0600)")
    parser.add_argument("--etcd-user", metavar="NAME", help="etcd's user")
    parser.add_argument("--etcd-password-file", metavar="FILE", type=Path, help="file with its password (mode 0600)")


def kept(options: argparse.Namespace, entries: str) -> Kept:
    """The document of these entries. Raises UsageError if options contradict each other."""
    if options.etcd is not None:
        if options.data is not None:
            raise UsageError("--data: not allowed with --etcd")
        return EtcdDocument(Etcd(_access(options)), entries)
    for name in ("prefix", "ca", "certificate", "key", "user", "password_file"):
        if getattr(options, f"etcd_{name}") is not None:
            raise UsageError(f"--etcd-{name.replace('_', '-')}: needs --etcd")
    return PrivateFile((options.data or DATA) / f"{entries}.json", entries)


def _access(options: argparse.Namespace) -> Access:
    endpoints = [_endpoint(each.strip()) for each in options.etcd.split(",") if each.strip()]
    if not endpoints:
        raise _wrong_urls()
    prefix = options.etcd_prefix or "/malob/"
    if not _PREFIX.fullmatch(prefix):
        raise UsageError(f"--etcd-prefix: expected names between slashes, as /malob/, not '{prefix}'")
    is_https = all(endpoint.startswith("https:") for endpoint in endpoints)
    for name in ("ca", "certificate", "key"):
        if getattr(options, f"etcd_{name}") is not None and not is_https:
            raise UsageError(f"--etcd-{name}: needs servers with https")
    return Access(endpoints, prefix, _tls(options) if is_https else None, _login(options, endpoints))


def _endpoint(text: str) -> str:
    parts = split_url(text)
    if parts is None or not parts.port:
        raise _wrong_urls()
    return f"{parts.scheme}://{parts.netloc}"


def _wrong_urls() -> UsageError:
    # without the value: it may contain a password
    return UsageError("--etcd: expected http://HOST:PORT or https://HOST:PORT, several separated by commas")


def _tls(options: argparse.Namespace) -> ssl.SSLContext:
    certificate, key = options.etcd_certificate, options.etcd_key
    if (certificate is None) != (key is None):
        raise UsageError(f"--etcd-{'certificate' if certificate is None else 'key'}: is missing")
    try:
        context = ssl.create_default_context(cafile=options.etcd_ca)
        if certificate is not None:
            _check_private(key)
            context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(f"TLS to etcd: {error}") from None
    return context


def _login(options: argparse.Namespace, endpoints: list[str]) -> tuple[str, str] | None:
    user, file = options.etcd_user, options.etcd_password_file
    if user is None and file is None:
        return None
    if user is None or file is None:
        raise UsageError(f"--etcd-{'user' if user is None else 'password-file'}: is missing")
    if not all(map(_is_protected, endpoints)):
        raise UsageError("--etcd-user: needs https, except on loopback addresses")
    try:
        _check_private(file)
        return user, file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"etcd's password: {error}") from None


def _check_private(file: Path) -> None:
    if stat.S_IMODE(file.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{file} is accessible to other users; run chmod 600 on it")


def _is_protected(endpoint: str) -> bool:
    parts = urlsplit(endpoint)
    if parts.scheme == "https" or parts.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(str(parts.hostname)).is_loopback
    except ValueError:
        return False
