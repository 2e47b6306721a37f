"""`./malob lab run`: the experiments by their names."""

from __future__ import annotations

from typing import Any

from lab.__main__ import RUN_HELP
from malob.cli.arguments import Commands
from research.experiments import (
    antagonist,
    campaign,
    endhost_capacity,
    endhost_dynamic,
    endhost_overhead,
    endhost_races,
    endhost_static,
    endhost_web,
    mptcp,
    thesis,
    thesis_bio,
    thesis_discussion,
    thesis_ftp,
    thesis_herding,
    thesis_http,
    thesis_mix,
)

_THESIS: tuple[Any, ...] = (thesis_http, thesis_ftp, thesis_bio, thesis_discussion, thesis_mix, thesis_herding, antagonist)
_ENDHOST: tuple[Any, ...] = (endhost_static, endhost_dynamic, endhost_web, endhost_overhead, endhost_capacity, endhost_races)


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
        parser.set_defaults(run=lambda options, module=module: thesis.run(module.scenario(options), options))
    for module in (mptcp, *_ENDHOST):
        parser = experiments.add_parser(module.NAME, help=module.HELP, description=(module.__doc__ or "").strip())
        module.add_arguments(parser)
    campaign.add_parser(experiments, [module.NAME for module in (*_THESIS, mptcp, *_ENDHOST)])
