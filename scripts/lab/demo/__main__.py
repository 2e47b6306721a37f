"""`./malob demo`: command line of the demo."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from lab.demo import session
from lab.demo.screen import LiveView, summary
from lab.demo.session import Plan
from lab.demo.tally import Tally
from lab.instance import Instance
from malob.cli.arguments import Parser, port
from malob.errors import ScriptError, UsageError, run_main
from malob.system.preparation import need_root, prepare
from malob.system.waiting import orderly_end, say


def main() -> int:
    options = _options()
    need_root("demo")
    prepare("lab")
    prepare("controller")
    plan = Plan(options.seconds, options.openflow_port, options.http_port, options.keep)
    # the table is not printed if the document goes to stdout
    view = LiveView(sys.stderr if options.json == "-" else sys.stdout)
    with orderly_end():
        outcome = session.run(plan, view)
    tally, lab = outcome.tally, outcome.lab
    clients = len(lab.topology.with_role("client"))
    view.finish([*outcome.table, "", *summary(tally, clients, session.VIP)])
    if options.json:
        _write(options.json, tally)
    if options.keep:
        _say_how_to_look_around(plan, lab)
    return 0 if tally.good else 1


def parser() -> Parser:
    made = Parser(
        prog="malob demo",
        description="A network of five switches with two clients and three web servers, balanced by MALOB."
        " Succeeds if every request did and every server was used.",
    )
    made.add_argument("--seconds", type=float, default=20, metavar="N", help="how long to send requests (default %(default)s)")
    made.add_argument("--json", metavar="FILE", help="also write the results to a file ('-': to stdout)")
    made.add_argument("--keep", action="store_true", help="leave everything running afterwards")
    made.add_argument("--openflow-port", type=port, default=6653, metavar="N", help="(default %(default)s)")
    made.add_argument("--http-port", type=port, default=8080, metavar="N", help="(default %(default)s)")
    return made


def _options() -> argparse.Namespace:
    options = parser().parse_args()
    if not 1 <= options.seconds <= 3600:
        raise UsageError(f"--seconds: expected 1 to 3600, not {options.seconds:g}")
    if options.json and options.json != "-" and not Path(options.json).resolve().parent.is_dir():
        raise UsageError(f"--json: there is no directory for {options.json}")
    return options


def _write(file: str, tally: Tally) -> None:
    text = json.dumps({**tally.to_json(), "ok": tally.good}, indent=2) + "\n"
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise ScriptError(f"cannot write {file}: {error.strerror}") from None


def _say_how_to_look_around(plan: Plan, lab: Instance) -> None:
    rest = f"http://127.0.0.1:{plan.http_port}"
    name = lab.name
    say(f"""
everything is still running; some ways to look around:
  ./malob lab exec --name {name} c1 curl -s http://{session.VIP}/    a request from client 1
  curl -s {rest}/quantum/v1.0/pools/{session.KEY}/stats/       the balancer's counts
  curl -s {rest}/wm/topology/links/json              the links that it sees
  ovs-ofctl -O OpenFlow13 dump-flows {name}-s1           the rules of switch 1
  ./malob lab link --name {name} s1 s3 down              take a link away
  less {lab.directory}/controller.log
  ./malob lab down --name {name}                         end all of it""")


if __name__ == "__main__":
    run_main(main, "malob demo")
