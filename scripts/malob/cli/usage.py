"""`./malob help`: all commands, from their parsers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from malob.cli import commands
from malob.cli.arguments import Parser

_WIDTH = 118
_INDENT = " " * 15

_BEFORE = """MALOB, a load balancer for OpenFlow networks.

Usage: ./malob [--yes] COMMAND [ARGUMENT]...
"""

_AFTER = """
MALOB first installs the missing requirements of a command from the distribution's packages (as root, or with sudo). On a
terminal it asks before; --yes, or MALOB_YES=1, answers yes. Without a terminal, root needs no --yes, and other users do. It starts
no service. JAVA_HOME chooses the JDK (17 or later), MALOB_JAVA_OPTS adds JVM options.
Commands use the controller at --url, otherwise at $MALOB_URL, otherwise at http://127.0.0.1:8080, with the token in $MALOB_TOKEN.
"""


def text() -> str:
    lines = [_BEFORE]
    for command in commands.here():
        lines.append(f"  {command.name:<12} {command.purpose}")
        forms = textwrap.wrap(" ".join(_forms(command.parser())), _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
        lines += [line.replace("\N{NO-BREAK SPACE}", " ") for line in forms]
    lines.append(f"  {'help':<12} this text; see also COMMAND --help")
    lines.append(f"  {'version':<12} the version")
    return "\n".join(lines) + "\n" + _AFTER.rstrip()


def _forms(parser: Parser) -> Iterator[str]:
    """The possible next words: sub-commands, or arguments, each with non-breaking spaces."""
    if parser.commands is not None:
        yield ", ".join(parser.commands.parsers)
        return
    for each in parser.arguments:
        if each.is_public and each.action.dest not in ("help", "url", "http"):
            form = each.form.replace(" ", "\N{NO-BREAK SPACE}")
            yield f"[{form}]" if each.action.option_strings and not each.action.required else form
