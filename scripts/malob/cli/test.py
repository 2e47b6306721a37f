"""`./malob test`: the tests, which Maven and Python run."""

from __future__ import annotations

import sys

from malob.cli import java
from malob.cli.arguments import Parser

#: What --fuzz knows.
FUZZ_TARGETS = ("packets", "openflow", "probes", "reports", "catalog", "peers", "replica", "conntrack")


def parser() -> Parser:
    made = Parser(prog="malob test", description="Runs all tests; those on Open vSwitch need root. The options after --fuzz apply to it only.")
    which = made.add_mutually_exclusive_group()
    which.add_argument("--unit", action="store_true", help="only tests that need neither root nor switches")
    which.add_argument("--only", metavar="PATTERN", help="only Python tests whose names match, for example Mesh or '*MeshTest.test_parallel*'")
    which.add_argument(
        "--fuzz",
        metavar="TARGET",
        nargs="?",
        const=FUZZ_TARGETS[0],
        choices=FUZZ_TARGETS,
        help="fuzz a parser, guided by coverage, instead: %(choices)s",
    )
    java.add_options(made, "test --fuzz")
    return made


def main() -> int:
    words = sys.argv[1:]
    if words[:1] == ["--fuzz"]:
        java.become("fuzz", words[1:], parser)
    only = parser().parse_args(words).only
    java.become("test", ["--only", only] if only else words, parser)
