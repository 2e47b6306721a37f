"""Command line of the doctor. Ends with 3 if the demo could not run."""

from __future__ import annotations

import argparse
import dataclasses
import json

from base.errors import MissingError, run_main
from base.table import render
from doctor.checks import Finding, all_findings


def main() -> int:
    parser = argparse.ArgumentParser(prog="malob doctor", description="What this machine has of what MALOB needs.")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    findings = all_findings()
    missing = [finding.name for finding in findings if finding.demo and not finding.good]
    if options.json:
        print(json.dumps({
            "demo_can_run": not missing,
            "checks": [dataclasses.asdict(finding) for finding in findings],
        }, indent=2))
    else:
        print("\n".join(report(findings, missing)))
    return MissingError.exit_code if missing else 0


def report(findings: list[Finding], missing: list[str]) -> list[str]:
    """The table, what to do about what is missing, and the verdict."""
    rows = [
        ["" if finding.good else ("!!" if finding.demo else "--"), finding.name, finding.found, finding.used_for]
        for finding in findings
    ]
    lines = render(["", "what", "found", "needed for"], rows)
    remedies = [f"{finding.name}: {finding.remedy}" for finding in findings if not finding.good]
    if remedies:
        lines += ["", "what would help:", *(f"  {remedy}" for remedy in remedies)]
    verdict = f"the demo cannot run: {', '.join(missing)}" if missing else "the demo can run"
    return [*lines, "", verdict]


if __name__ == "__main__":
    run_main(main, "malob doctor")
