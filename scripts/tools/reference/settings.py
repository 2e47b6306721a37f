"""Writes the settings that the controller's modules declare to docs/reference/settings.md and to the shipped properties files, or without --write
prints the page: python3 scripts/command.py tools.reference.settings [--write]. The controller must be built first; './malob prepare controller'
and the tests do that.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from malob.system.place import ROOT
from tools.reference import java_options

PAGE = ROOT / "docs" / "reference" / "settings.md"
CONTROLLER = ROOT / "src" / "main" / "resources" / "floodlightdefault.properties"
FLOODLIGHT = ROOT / "src" / "main" / "floodlight" / "malob-floodlight.properties"

#: The part of a file from this line on is generated.
_MARK = "by 'python3 scripts/command.py tools.reference.settings --write'"
_WIDTH = 120

_CLASSES = ROOT / "target" / "classes"
_LIBRARIES = ROOT / "target" / "lib"


class Setting(NamedTuple):
    """A setting as its module declares it. default: empty if the module computes it. expected: its valid values; empty for any text."""

    module: str
    name: str
    default: str
    expected: str
    sentence: str
    deprecated: str

    def values(self) -> str:
        """The valid values without the name of their type; empty for any text."""
        return self.expected.removeprefix("a whole number from ")


def is_built() -> bool:
    """Whether the controller is built."""
    return _CLASSES.is_dir() and _LIBRARIES.is_dir()


def declared() -> list[Setting]:
    """The settings of all modules, ordered by module."""
    printed = java_options.output("DeclaredSettings.java", [_CLASSES, f"{_LIBRARIES}/*"])
    return [Setting(*line.split("\t")) for line in printed.splitlines()]


def page(settings: list[Setting]) -> str:
    """The reference of all settings: a table for each module."""
    return _completed(PAGE, f"<!-- From here on {_MARK} -->", _tables(settings))


def _tables(settings: list[Setting]) -> Iterator[str]:
    for module, own in itertools.groupby(settings, lambda setting: setting.module):
        yield from (
            "",
            f"## {module.rpartition('.')[2]}",
            "",
            f"`{module}.`…",
            "",
            "| setting | default | values | meaning |",
            "| --- | --- | --- | --- |",
        )
        for setting in own:
            default = f"`{setting.default}`" if setting.default else ""
            old = f" Deprecated name: `{setting.deprecated}`." if setting.deprecated else ""
            yield f"| `{setting.name}` | {default} | {setting.values()} | {setting.sentence}{old} |"


def properties(file: Path, settings: list[Setting]) -> str:
    """A shipped properties file: a line for each setting, which is a comment because it has the default."""
    return _completed(file, f"# From here on {_MARK}.", _lines(settings))


def _lines(settings: list[Setting]) -> Iterator[str]:
    for module, own in itertools.groupby(settings, lambda setting: setting.module):
        yield from ("", f"# {module.rpartition('.')[2]}")
        for setting in own:
            values = f" ({setting.values()})" if setting.values() else ""
            yield from textwrap.wrap(setting.sentence + values, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
            yield f"#{module}.{setting.name}={setting.default}"


def of_floodlight(settings: list[Setting]) -> list[Setting]:
    """The settings of the modules that Floodlight's properties file lists."""
    listed = FLOODLIGHT.read_text(encoding="utf-8")
    return [setting for setting in settings if f"\n{setting.module},\\\n" in listed or f"\n{setting.module}\n" in listed]


def _completed(file: Path, mark: str, lines: Iterator[str]) -> str:
    kept = file.read_text(encoding="utf-8").partition(mark)[0]
    return "\n".join((kept + mark, *lines)) + "\n"


def files(settings: list[Setting]) -> dict[Path, str]:
    """What the page and the shipped files must contain."""
    return {
        PAGE: page(settings),
        CONTROLLER: properties(CONTROLLER, settings),
        FLOODLIGHT: properties(FLOODLIGHT, of_floodlight(settings)),
    }


if __name__ == "__main__":
    java_options.main("settings", __doc__, lambda: files(declared()))
