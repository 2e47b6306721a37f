"""The page docs/cli.md: every command, from its parser. The same on every version of Python."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from malob.cli.completion import commands
from malob.cli.completion.engine import help_of
from malob.system.place import ROOT

#: What malob.cli.target adds; the introduction tells of it.
_TARGET = {"url", "http"}

PAGE = ROOT / "docs" / "cli.md"

_INTRODUCTION = """# Command line

Made from the programs themselves by `python3 scripts/command.py malob.cli.completion reference`.

Results go to stdout, all else to stderr; with `--json`, stdout is one JSON document. What is wrong with a command line is said in one
line. Progress is shown on a terminal only.

| exit code | |
| --- | --- |
| 0 | done |
| 1 | failed, or a check did not hold |
| 2 | wrong use: the command line, or a file that it names |
| 3 | something that is needed is missing: a program, root, a controller that answers, its token |

Commands that ask a controller (`[--url URL]`) ask the one at `--url URL`, or else `$MALOB_URL`, or else `http://127.0.0.1:8080`. `--http HOST:PORT`
is the same as `--url http://HOST:PORT`. If the controller wants a token, it is in `$MALOB_TOKEN`.

What a command lacks is installed from the distribution's packages: on a terminal after a question, which `--yes` before the command
(`sudo ./malob --yes demo`) or `MALOB_YES=1` answers beforehand ([the rules](adr/0024-packages-are-installed-after-a-question.md)).

Shells complete commands, options and the ids of the controller's items:

    source <(./malob completion bash)         # in ~/.bashrc; the same with zsh in ~/.zshrc
    ./malob completion fish | source          # in fish

| command | |
| --- | --- |
"""


def page() -> str:
    """The whole page."""
    lines = [_INTRODUCTION + "\n".join(f"| [{command.name}](#malob-{command.name}) | {command.purpose} |" for command in commands.ALL)]
    for command in commands.ALL:
        lines += ["", f"## malob {command.name}", "", *_section(command.parser(), f"malob {command.name}")]
    return "\n".join(lines) + "\n"


def _section(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
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
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                yield ""
                yield f"### {name} {choice.dest}"
                yield ""
                child = action.choices[choice.dest]
                if not child.description and choice.help:
                    yield _text(choice.help[0].upper() + choice.help[1:] + ".")
                    yield ""
                yield from _section(child, f"{name} {choice.dest}")


def _usage(parser: argparse.ArgumentParser) -> Iterator[str]:
    optional = False
    for action in parser._actions:
        if action.option_strings and action.required:
            yield _spelled(action)
        elif action.option_strings:
            optional = optional or not (action.dest in _TARGET or action.dest == "help" or action.help == argparse.SUPPRESS)
    if optional:
        yield "[OPTIONS]"
    if _asks_a_controller(parser):
        yield "[--url URL]"
    for action in parser._actions:
        if not action.option_strings:
            yield _positional(action)


def _positional(action: argparse.Action) -> str:
    name = _value_name(action)
    forms = {"?": f"[{name}]", "*": f"[{name}...]", "+": f"{name}...", argparse.REMAINDER: f"{name}..."}
    return forms.get(str(action.nargs), name)


def _asks_a_controller(parser: argparse.ArgumentParser) -> bool:
    return {action.dest for action in parser._actions} >= _TARGET


def _rows(parser: argparse.ArgumentParser) -> Iterator[str]:
    known = _TARGET if _asks_a_controller(parser) else set()
    for action in parser._actions:
        if not action.help or action.help == argparse.SUPPRESS or action.dest in {"help", *known} or isinstance(action, argparse._SubParsersAction):
            continue
        spelled = _spelled(action) if action.option_strings else _positional(action)
        text = help_of(parser, action)
        if action.choices is not None and action.metavar is not None:
            named = ", ".join(map(str, action.choices))
            text += "" if all(str(choice) in text for choice in action.choices) else f" ({named})"
        yield f"| `{spelled.replace('|', chr(92) + '|')}` | {_text(text)} |"


def _spelled(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    value = _value_name(action)
    return f"{names} [{value}]" if action.nargs == "?" else f"{names} {value}"


def _value_name(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    return action.dest.upper()


def _text(text: str) -> str:
    """As Markdown takes it for text, without the place of this checkout."""
    escaped = text.replace(f"{ROOT}/", "").replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
    return " ".join(escaped.split())
