"""Installs the packages of this checkout, as any version, and asks their controller."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from malob.system.place import ROOT
from tests.system.overlay import OverlayRoot
from tools.release import debian
from tools.release.files import program
from tools.release.project import Project

URL = "http://127.0.0.1:8080"
HEALTH = f"{URL}/wm/core/health/json"
CATALOG = "/quantum/v1.0"


def install(root: OverlayRoot, described: Project, *names: str) -> None:
    """Installs or upgrades the named packages, or both; settings that were changed stay as they are."""
    paths = []
    for name, files in debian.packages(program(ROOT), ROOT, described).items():
        if names and name not in names:
            continue
        paths.append(f"/tmp/{name}.deb")
        root.write(paths[-1], debian.make(name, files, ROOT, described))
    dpkg(root, "--force-unsafe-io", "--force-confold", "--install", *paths)


def dpkg(root: OverlayRoot, *words: str) -> None:
    # of the triggers, only the index of all manual pages would be made anew, for seconds each time
    root.run("dpkg", "--no-triggers", *words, timeout_s=120)


def ask(root: OverlayRoot, url: str, body: Mapping[str, Any] | None = None, token: str | None = None) -> Any:
    """The controller's answer. Raises ScriptError unless its status is 2xx."""
    words = ["curl", "--silent", "--show-error", "--fail-with-body"]
    if token is not None:
        words += ["--header", f"Authorization: Bearer {token}"]
    if body is not None:
        words += ["--data", json.dumps(body)]
    return json.loads(root.run(*words, url) or "null")
