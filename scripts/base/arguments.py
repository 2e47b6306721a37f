"""Values of command line options."""

from __future__ import annotations

import argparse


def endpoint(text: str) -> tuple[str, int]:
    """HOST:PORT in two; argparse reports the error."""
    host, colon, port = text.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise argparse.ArgumentTypeError(f"expected HOST:PORT, not '{text}'")
    return host.strip("[]"), int(port)


def port(text: str) -> int:
    """The number of a port; argparse reports the error."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"expected a port, 1 to 65535, not '{text}'")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1; argparse reports the error."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10 ** 9):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not '{text}'")
    return int(text)
