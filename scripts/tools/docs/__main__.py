"""`./malob docs`: builds the documentation site in target/site, or serves it and rebuilds it after each change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from malob.cli.arguments import Parser
from malob.errors import ScriptError, run_main
from malob.system.place import ROOT
from malob.system.preparation import prepare
from malob.system.waiting import say
from tools.docs import source, sphinx

SITE = ROOT / "target" / "site"
_SETTINGS = Path(__file__).parent / "site"


def main() -> int:
    options = parser().parse_args()
    prepare("docs")
    pages = str(source.write())
    build = ["-c", str(_SETTINGS), "--fail-on-warning", "--keep-going", "--quiet", pages, str(SITE)]
    if options.serve:
        host, _, port = options.address.rpartition(":")
        rewrite = f"{sys.executable} {ROOT / 'scripts' / 'command.py'} tools.docs.source"
        # the source is rewritten before each build, so the pages themselves are watched
        watched = [argument for folder in ("docs", "bench", "README.md", "CHANGELOG.md") for argument in ("--watch", str(ROOT / folder))]
        command = ["sphinx-autobuild", "--host", host, "--port", port, "--pre-build", rewrite, "--ignore", f"{pages}/*", *watched, *build]
    else:
        command = ["sphinx-build", "--fresh-env", *build]
    done = subprocess.run([str(sphinx.folder() / command[0]), *command[1:]], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    if done.returncode != 0:
        raise ScriptError("Sphinx failed (see above)")
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
