"""Values from a running controller, or from the disk. Slow ones are omitted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from malob.cli import target
from malob.cli.completion.engine import Source
from malob.cli.kinds import KINDS
from malob.errors import ScriptError, UsageError

#: A completion must be fast.
_TIMEOUT_S = 1.0


def _listed(path: str, key: str) -> Source:
    """A list of the controller, by a field of each item."""

    def read(words: Sequence[str]) -> list[str]:
        try:
            return [item[key] for item in target.client(_target(words), _TIMEOUT_S).get(path)]
        except ScriptError:
            return []

    return read


def _target(words: Sequence[str]) -> argparse.Namespace:
    """The controller that the words so far select."""
    parser = _Silent(add_help=False)
    target.add_target(parser)
    return parser.parse_known_args([*words])[0]


class _Silent(argparse.ArgumentParser):
    """Errors of an unfinished command line are not shown."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _topologies(_words: Sequence[str]) -> Sequence[str]:
    from malob.network import topology

    return topology.known_names()


SOURCES: dict[str, Source] = {
    **{name: _listed(kind.path, "id") for name, kind in KINDS.items()},
    "algorithm": _listed("/wm/malob/algorithms", "name"),
    "topology": _topologies,
}
