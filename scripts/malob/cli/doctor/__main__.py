"""Command line of the doctor. Ends with 3 if the demo could not run."""

from __future__ import annotations

import dataclasses
import json

from malob.cli.arguments import Parser
from malob.cli.doctor.checks import Finding, all_findings
from malob.cli.table import render
from malob.errors import MissingError, run_main


def parser() -> Parser:
    made = Parser(prog="malob doctor", description="Checks whether this machine has the programs and libraries that MALOB needs.")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    return made


def main() -> int:
    options = parser().parse_args()
    findings = all_findings()
    able = not obstacles(findings)
    if options.json:
        document = {"demo_can_run": able, "checks": [dataclasses.asdict(finding) for finding in findings]}
        print(json.dumps(document, indent=2))
    else:
        print("\n".join(report(findings)))
    return 0 if able else MissingError.exit_code


def obstacles(findings: list[Finding]) -> list[Finding]:
    """The findings that keep the demo from running."""
    return [finding for finding in findings if finding.demo and not finding.good]


def report(findings: list[Finding]) -> list[str]:
    """The table, how to install missing programs, and the verdict."""
    rows = [["" if finding.good else ("!!" if finding.demo else "--"), finding.name, finding.found, finding.used_for] for finding in findings]
    lines = render(["", "what", "found", "needed for"], rows)
    remedies = [f"  {finding.name}: {finding.remedy}" for finding in findings if not finding.good]
    if remedies:
        lines += ["", "what would help:", *remedies]
    missing = obstacles(findings)
    if not missing:
        verdict = "the demo can run"
    else:
        verdict = f"the demo cannot run as things are: {', '.join(finding.name for finding in missing)}"
        if all(finding.package for finding in missing):
            verdict += "; 'sudo ./malob demo' installs that where there is apt-get"
    return [*lines, "", verdict]


if __name__ == "__main__":
    run_main(main, "malob doctor")
