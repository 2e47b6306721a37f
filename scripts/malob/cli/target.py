"""The controller of a command: options and environment."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace

from malob.cli.arguments import endpoint
from malob.errors import UsageError
from malob.rest.client import RestClient, Target, split_url

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
    token = _token(environment)
    return RestClient(replace(_target(options, environment), token=token), timeout_s)


def _target(options: argparse.Namespace, environment: Mapping[str, str]) -> Target:
    if options.http is not None:
        return Target("http", *options.http)
    if options.url is not None:
        selected: Target = options.url
        return selected
    try:
        return parse(environment.get("MALOB_URL") or DEFAULT_URL)
    except ValueError as error:
        raise UsageError(f"MALOB_URL: {error}") from None


def parse(text: str) -> Target:
    """http://HOST:PORT or https://HOST:PORT in its parts. Raises ValueError."""
    parts = split_url(text) if _printable(text) else None
    if parts is None or parts.hostname is None:
        raise ValueError(f"expected http://HOST:PORT or https://HOST:PORT, not '{text}'")
    return Target(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme])


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
