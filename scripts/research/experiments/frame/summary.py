"""summary.json: the description and results of an experiment. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Check:
    """A target of the experiment: the max of a figure. value: None if it was not measured."""

    name: str
    value: float | None
    at_most: float

    @property
    def holds(self) -> bool | None:
        return None if self.value is None else self.value <= self.at_most

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "at_most": self.at_most, "holds": self.holds}


class Summary:
    """Collects metrics by key, such as `median_s.SL-PS`, each once."""

    def __init__(self, experiment: str, parameters: Mapping[str, Any], machine: Mapping[str, Any]) -> None:
        self._experiment = experiment
        self.parameters = parameters
        self._machine = dict(machine)
        self._metrics: dict[str, dict[str, Any]] = {}
        self._paper: dict[str, dict[str, Any]] = {}
        self.checks: list[Check] = []
        #: the reasons why the figures are invalid; empty if they are valid
        self.rejected: list[str] = []

    def metric(self, key: str, value: float, unit: str) -> None:
        """Adds a measured value. unit: "s", "1" for shares and counts, ..."""
        if key in self._metrics:
            raise ValueError(f"the metric {key} is there already")
        self._metrics[key] = {"value": value, "unit": unit}

    def paper(self, key: str, value: float, unit: str) -> None:
        """Adds the paper's value for the same key."""
        self._paper[key] = {"value": value, "unit": unit}

    def value(self, key: str) -> float | None:
        """A metric; None if there is none with this key."""
        found = self._metrics.get(key)
        return None if found is None else found["value"]

    def ratio(self, first: str, second: str) -> float | None:
        """One metric as a share of another; None unless both exist."""
        one, other = self.value(first), self.value(second)
        return one / other if one is not None and other else None

    def to_json(self) -> dict[str, Any]:
        return {
            "experiment": self._experiment,
            "parameters": dict(self.parameters),
            "machine": self._machine,
            "rejected": bool(self.rejected),
            "rejected_because": self.rejected,
            "metrics": self._metrics,
            "paper": self._paper,
            "checks": {check.name: check.to_json() for check in self.checks},
        }
