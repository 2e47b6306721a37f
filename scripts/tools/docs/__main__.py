"""`./malob docs`: makes the site of the documentation in target/site, or serves it while one writes."""

from __future__ import annotations

import os
import subprocess
import sys

from malob.cli.arguments import Parser
from malob.errors import ScriptError, run_main
from malob.system.place import ROOT
from malob.system.preparation import prepare
from malob.system.waiting import say
from tools.docs import mkdocs

SITE = ROOT / "target" / "site"


def main() -> int:
    options = parser().parse_args()
    prepare("docs")
    command = [str(mkdocs.program()), *(["serve", "--dev-addr", options.address] if options.serve else ["build", "--strict", "--clean"])]
    # the theme advertises its successor at each call
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment)
    if done.returncode != 0:
        raise ScriptError("MkDocs failed (see above)")
    if not options.serve:
        say("the home page of the site:")
        print(SITE / "index.html")
    return 0


def parser() -> Parser:
    made = Parser(prog="malob docs", description="Builds the documentation's site in target/site.")
    made.add_argument("--serve", action="store_true", help="serve the site and rebuild it on changes, until Ctrl-C")
    made.add_argument("--address", metavar="HOST:PORT", default="127.0.0.1:8000", help="the address to serve it at (default %(default)s)")
    return made


if __name__ == "__main__":
    run_main(main, "malob docs")
