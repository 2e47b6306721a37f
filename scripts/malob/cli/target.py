"""The controller of a command: options and environment."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from malob.cli.arguments import endpoint
from malob.errors import UsageError
from malob.rest.client import RestClient, Target

DEFAULT_URL = "http://127.0.0.1:8080"

_PORTS = {"http": 80, "https": 443}


def add_target(parser: argparse.ArgumentParser) -> None:
    """The options that select the controller."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--url",
        metavar="URL",
        type=_url,
        help=f"the controller's REST interface ($MALOB_URL, or {DEFAULT_URL}); $MALOB_TOKEN has its token, if it requires one",
    )
    where.add_argument("--http", metavar="HOST:PORT", type=endpoint, help="the same as --url http://HOST:PORT")


def client(options: argparse.Namespace, timeout_s: float = 10, environment: Mapping[str, str] = os.environ) -> RestClient:
    """A client of the selected controller. Raises UsageError if the environment is invalid."""
    return RestClient(_target(options, environment), timeout_s)


def _target(options: argparse.Namespace, environment: Mapping[str, str]) -> Target:
    token = _token(environment)
    if options.http is not None:
        host, port = options.http
        return Target("http", host, port, token)
    if options.url is not None:
        found: Target = options.url
        return Target(found.scheme, found.host, found.port, token)
    try:
        found = parse(environment.get("MALOB_URL") or DEFAULT_URL)
    except ValueError as error:
        raise UsageError(f"MALOB_URL: {error}") from None
    return Target(found.scheme, found.host, found.port, token)


def parse(text: str) -> Target:
    """http://HOST:PORT or https://HOST:PORT in its parts. Raises ValueError."""
    wrong = ValueError(f"expected http://HOST:PORT or https://HOST:PORT, not '{text}'")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    more = parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None
    if parts.scheme not in _PORTS or not parts.hostname or port == 0 or more or not _printable(text):
        raise wrong
    return Target(parts.scheme, parts.hostname, port or _PORTS[parts.scheme])


def _url(text: str) -> Target:
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _token(environment: Mapping[str, str]) -> str | None:
    token = environment.get("MALOB_TOKEN", "").strip()
    if not _printable(token):
        raise UsageError("MALOB_TOKEN: a token has printable ASCII characters only")
    return token or None


def _printable(text: str) -> bool:
    return all(" " < sign < "\x7f" for sign in text)
