"""The frame of a benchmark's command: options, preparation, the run, and its report."""

from __future__ import annotations

import argparse
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from malob.cli.arguments import Parser, positive
from malob.errors import UsageError
from malob.system.preparation import need_root
from malob.system.progress import Bar
from malob.system.waiting import orderly_end
from research.preparation import prepare

Document = dict[str, Any]


class BenchCommand(ABC):
    """`./malob bench NAME`: a subclass for each benchmark on Open vSwitch."""

    name: ClassVar[str]
    #: a line for the list of benchmarks
    purpose: ClassVar[str]
    description: ClassVar[str]
    #: the parts to prepare
    needs: ClassVar[Sequence[str]] = ("lab", "controller")
    #: what --json prints
    result: ClassVar[str] = "results"
    #: of --out; None for the usual text
    out_help: ClassVar[str | None] = None
    #: whether the document has the load of the machine before the run
    has_load: ClassVar[bool] = True

    @abstractmethod
    def add_options(self, parser: Parser) -> None:
        """The options besides --json and --out."""

    def check(self, options: argparse.Namespace) -> None:  # noqa: B027
        """Raises UsageError for options that contradict each other."""

    def parts(self, options: argparse.Namespace) -> Sequence[str]:
        """The parts to prepare for these options."""
        return self.needs

    @abstractmethod
    def measure(self, options: argparse.Namespace) -> Document:
        """Builds the network, measures, and removes everything."""

    @abstractmethod
    def lines(self, found: Document) -> list[str]:
        """The printed report."""

    def holds(self, found: Document) -> bool:
        """Whether the exit code is 0."""
        return bool(found["ok"])

    def write_more(self, found: Document, options: argparse.Namespace, out: Path) -> None:  # noqa: B027
        """Writes files beside NAME.json."""

    def parser(self) -> Parser:
        made = Parser(prog=f"malob bench {self.name}", description=self.description)
        self.add_options(made)
        pronoun = "them" if self.result.endswith("s") else "it"
        made.add_argument("--json", action="store_true", help=f"print the {self.result} as JSON")
        made.add_argument("--out", type=Path, metavar="DIR", help=self.out_help or f"also write {pronoun} to DIR/{self.name}.json")
        return made

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        """Raises UsageError."""
        options = self.parser().parse_args(words)
        self.check(options)
        return options

    def main(self, words: Sequence[str]) -> int:
        """The exit code."""
        options = self.options(words)
        out: Path | None = options.out
        if out is not None:
            _make(out)
        need_root(f"bench {self.name}")
        prepare(*self.parts(options))
        with orderly_end():
            load = os.getloadavg()[0]
            found = self.measure(options)
        if self.has_load:
            found["load_before"] = load
        text = json.dumps(found, indent=2)
        if out is not None:
            (out / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")
            self.write_more(found, options, out)
        print(text if options.json else "\n".join(self.lines(found)))
        return 0 if self.holds(found) else 1


def turns(cases: Sequence[str], rounds: int, order: Callable[[Sequence[str], int], Sequence[str]], within: str = "round") -> Iterator[str]:
    """Each case in each round, with a progress bar. order: of the cases in a round, by its number from 0. within: names of rounds, in the bar."""
    with Bar(rounds * len(cases)) as bar:
        for number in range(rounds):
            for case in order(cases, number):
                bar.begin(f"{within} {number + 1}, {case}")
                yield case


def add_connects(parser: Parser) -> None:
    """The option --connects."""
    parser.add_argument(
        "--connects",
        type=positive,
        default=200,
        metavar="N",
        help="connections per round whose connect() is timed, one after the other (default %(default)s)",
    )


def add_load(parser: Parser, rate: int) -> None:
    """The options --rate and --downloads. rate: the default."""
    parser.add_argument(
        "--rate", type=positive, default=rate, metavar="R", help="short connections per second, of both clients (default %(default)s)"
    )
    parser.add_argument("--downloads", type=positive, default=10, metavar="N", help="downloads at a time, of each client (default %(default)s)")


def check_parallel(options: argparse.Namespace) -> None:
    """Raises UsageError if --parallel is above --requests."""
    if options.parallel > options.requests:
        raise UsageError("--parallel: more than --requests")


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out: cannot write to {out}: {error.strerror}") from None
