"""`./malob lab run`: the command line of labs, with the experiments by their names."""

from __future__ import annotations

import sys
from typing import Any

import lab.__main__
from lab.__main__ import RUN_HELP
from malob.cli.arguments import Commands, Parser
from malob.errors import run_main
from research.experiments.campaign import campaign
from research.experiments.endhost.capacity import CapacityStudy
from research.experiments.endhost.dynamic import DynamicStudy
from research.experiments.endhost.overhead import OverheadStudy
from research.experiments.endhost.races import RaceStudy
from research.experiments.endhost.static import StaticStudy
from research.experiments.endhost.web import WebStudy
from research.experiments.frame.study import Study
from research.experiments.mptcp.experiment import MptcpStudy
from research.experiments.thesis import antagonist, bio, discussion, ftp, herding, http, mix
from research.experiments.thesis.experiment import ThesisStudy

_THESIS: tuple[Any, ...] = (http, ftp, bio, discussion, mix, herding, antagonist)
_STUDIES: tuple[type[Study], ...] = (MptcpStudy, StaticStudy, DynamicStudy, WebStudy, OverheadStudy, CapacityStudy, RaceStudy)


def add_parser(commands: Commands) -> None:
    run = commands.add_parser(
        "run",
        help=RUN_HELP,
        description="Builds a network with a controller of its own, measures, and removes everything. Exit code 1 if requests"
        " failed or are missing. docs/explanation/experiments/README.md describes the experiments and how to read their results.",
    )
    experiments = run.add_commands("EXPERIMENT")
    for module in _THESIS:
        parser = experiments.add_parser(module.NAME, help=module.HELP, description=(module.__doc__ or "").strip())
        module.add_arguments(parser)
        parser.set_defaults(run=lambda options, module=module: ThesisStudy(module.scenario(options), options).main())
    for study in _STUDIES:
        parser = experiments.add_parser(study.name, help=study.purpose, description=(sys.modules[study.__module__].__doc__ or "").strip())
        study.add_options(parser)
        parser.set_defaults(run=lambda options, study=study: study(options).main())
    campaign.add_parser(experiments, [*(module.NAME for module in _THESIS), *(study.name for study in _STUDIES)])


def main() -> int:
    options = parser().parse_args()
    return int(options.run(options))


def parser() -> Parser:
    return lab.__main__.parser(add_parser)


if __name__ == "__main__":
    run_main(main, "malob lab")
