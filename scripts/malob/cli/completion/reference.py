"""The site's page of all commands, from their parsers. The same on every version of Python."""

from __future__ import annotations

from collections.abc import Iterator

from malob.cli import commands
from malob.cli.arguments import Parser
from malob.system.place import ROOT

#: The options of malob.cli.target, which the introduction describes.
_TARGET = {"url", "http"}

_INTRODUCTION = """# Command line

Results go to stdout, all else to stderr; with `--json`, stdout is one JSON document. Errors in a command line are one line.
Progress is shown on terminals only.

| exit code | |
| --- | --- |
| 0 | done |
| 1 | failed, or a check did not hold |
| 2 | usage error: in the command line, or in a file that it names |
| 3 | something required is missing: a program, root, a controller that answers, its token |

Commands with `[--url URL]` use the controller at `--url URL`, otherwise at `$MALOB_URL`, otherwise at `http://127.0.0.1:8080`. `--http HOST:PORT`
is the same as `--url http://HOST:PORT`. If the controller requires a token, set `$MALOB_TOKEN`.

Commands install missing programs from the distribution's packages. On a terminal they ask first; `--yes` before the command
(`sudo ./malob --yes demo`) or `MALOB_YES=1` agrees in advance ([the rules](../adr/0024-packages-are-installed-after-a-question.md)).

Shells complete commands, options and the ids of the controller's objects:

    source <(./malob completion bash)         # in ~/.bashrc; the same with zsh in ~/.zshrc
    ./malob completion fish | source          # in fish

| command | |
| --- | --- |
"""


def page() -> str:
    """The whole page."""
    lines = [_INTRODUCTION + "\n".join(f"| [{command.name}](#malob-{command.name}) | {command.purpose} |" for command in commands.here())]
    for command in commands.here():
        lines += ["", f"## malob {command.name}", "", *_section(command.parser(), f"malob {command.name}")]
    return "\n".join(lines) + "\n"


def _section(parser: Parser, name: str) -> Iterator[str]:
    if parser.description:
        yield _text(parser.description)
        yield ""
    yield f"    {' '.join([name, *_usage(parser)])}"
    rows = list(_rows(parser))
    if rows:
        yield ""
        yield "| | |"
        yield "| --- | --- |"
        yield from rows
    if parser.commands is not None:
        for child_name, child in parser.commands.parsers.items():
            yield ""
            yield f"### {name} {child_name}"
            yield ""
            if not child.description:
                purpose = parser.commands.purposes[child_name]
                yield _text(purpose[0].upper() + purpose[1:] + ".")
                yield ""
            yield from _section(child, f"{name} {child_name}")


def _usage(parser: Parser) -> Iterator[str]:
    options = [each for each in parser.arguments if each.action.option_strings]
    yield from (each.form for each in options if each.action.required)
    if any(not each.action.required and each.is_public and each.action.dest not in {"help", *_TARGET} for each in options):
        yield "[OPTIONS]"
    if _asks_a_controller(parser):
        yield "[--url URL]"
    yield from (each.form for each in parser.arguments if not each.action.option_strings)
    if parser.commands is not None:
        yield parser.commands.metavar


def _asks_a_controller(parser: Parser) -> bool:
    return {each.action.dest for each in parser.arguments} >= _TARGET


def _rows(parser: Parser) -> Iterator[str]:
    known = _TARGET if _asks_a_controller(parser) else set()
    for each in parser.arguments:
        action = each.action
        if not action.help or not each.is_public or action.dest in {"help", *known}:
            continue
        text = parser.help_of(action)
        if action.choices is not None and action.metavar is not None:
            named = ", ".join(map(str, action.choices))
            text += "" if all(str(choice) in text for choice in action.choices) else f" ({named})"
        yield f"| `{each.form.replace('|', chr(92) + '|')}` | {_text(text)} |"


def _text(text: str) -> str:
    """Escaped for Markdown, without the path of this checkout."""
    escaped = text.replace(f"{ROOT}/", "").replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
    return " ".join(escaped.split())
