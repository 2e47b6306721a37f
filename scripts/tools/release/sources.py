"""The source files of a checkout: those that git tracks, or without git all except build results."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from malob.system.processes import run, succeeds

_NOT_OURS = ("target", "data", "__pycache__", ".git")


def listed(root: Path) -> list[str]:
    """Their paths from the root, sorted."""
    if _has_git(root):
        words = run(_git(root, "ls-files", "-z"))
        paths = [path for path in words.split("\0") if path and (root / path).is_file()]
    else:
        paths = []
        for directory, names, files in os.walk(root):
            names[:] = [name for name in names if name not in _NOT_OURS]
            paths += [str((Path(directory) / file).relative_to(root)) for file in files if file not in _NOT_OURS]
    return sorted(paths)


def changed(root: Path) -> bool:
    """Whether there are uncommitted changes."""
    return _has_git(root) and bool(run(_git(root, "status", "--porcelain")).strip())


def copy(root: Path, target: Path) -> None:
    """Copies them all to a new folder."""
    for path in listed(root):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path, target / path)


def _has_git(root: Path) -> bool:
    """Whether git can be used; a copied work tree contains only the name of a folder that is elsewhere."""
    return (root / ".git").exists() and succeeds(_git(root, "rev-parse"))


def _git(root: Path, *arguments: str) -> list[str]:
    # the checkout may belong to another user, under sudo
    return ["git", "-c", f"safe.directory={root}", "-C", str(root), *arguments]
