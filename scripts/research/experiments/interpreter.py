"""Finds a Python that has a certain library: the distribution's packages are for its own Python, which need not be ours."""

from __future__ import annotations

import sys

from malob.errors import MissingError
from malob.system.processes import succeeds


def python_with(module: str, package: str) -> str:
    """The path of an interpreter that can import a module. Raises MissingError, naming the package."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if succeeds([candidate, "-I", "-c", f"import {module}"], timeout_s=60):
            return candidate
    raise MissingError(f"no Python here has {module} (package {package})")
