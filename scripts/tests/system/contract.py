"""Schemathesis, which makes up requests from an OpenAPI document and looks at what comes back, in an environment of its own."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from malob.system.environment import install, programs

VERSION = "4.32.5"


def program() -> Path:
    """The program, installed first if it is not there. Raises MissingError if that cannot be done."""
    return programs(f"schemathesis-{VERSION}", f"schemathesis=={VERSION}") / "schemathesis"


def check(url: str, document: str, seconds: int, phases: Sequence[str], excluded: Sequence[str]) -> str | None:
    """What is wrong with the answers of the server at that URL; None if nothing is."""
    command = [
        str(program()),
        "run",
        f"{url}{document}",
        "--url",
        url,
        "--no-color",
        "--warnings",
        "off",
        "--phases",
        ",".join(phases),
        "--max-time",
        str(seconds),
        "--request-timeout",
        "20",
        "--checks",
        "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
        "response_schema_conformance,unsupported_method,allow_header_conformance",
        "--generation-deterministic",
    ]
    for path in excluded:
        command += ["--exclude-path", path]
    # where it is started, it leaves a directory .schemathesis
    with tempfile.TemporaryDirectory(prefix="malob-test-") as directory:
        done = subprocess.run(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=10 * seconds + 120,
            check=False,
        )
    return None if done.returncode == 0 else done.stdout[-8_000:]


if __name__ == "__main__":
    install(program)
