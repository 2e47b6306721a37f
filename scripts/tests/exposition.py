"""Reads Prometheus's text format, version 0.0.4, and objects to whatever is not in order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
_META = re.compile(rf"# (HELP|TYPE) ({_NAME}) (.+)")
_SAMPLE = re.compile(rf"({_NAME})(?:\{{((?:{_LABEL},)*{_LABEL}),?\}})? (\S+)")
_TYPES = ("counter", "gauge", "histogram", "summary", "untyped")

Labels = frozenset[tuple[str, str]]


@dataclass
class Family:
    """One metric: its samples by name, which has a suffix for histograms, and labels."""

    type: str
    samples: dict[str, dict[Labels, float]] = field(default_factory=lambda: defaultdict(dict))


class WrongFormatError(ValueError):
    """What is wrong with which line."""


def read(text: str) -> dict[str, Family]:
    """The families by their names. Raises WrongFormatError."""
    families: dict[str, Family] = {}
    current = ""
    if not text.endswith("\n"):
        raise WrongFormatError("the last line does not end")
    for line in text.splitlines():
        meta, sample = _META.fullmatch(line), _SAMPLE.fullmatch(line)
        if meta and meta[1] == "TYPE":
            current = meta[2]
            if current in families or meta[3] not in _TYPES:
                raise WrongFormatError(f"a second family of this name, or no type: {line}")
            families[current] = Family(meta[3])
        elif sample:
            _add(families, current, sample, line)
        elif not meta:
            raise WrongFormatError(line)
    for name, family in families.items():
        if family.type == "histogram":
            _check_histogram(name, family)
    return families


def _add(families: Mapping[str, Family], current: str, sample: re.Match[str], line: str) -> None:
    family = families.get(current)
    suffixes = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}
    if family is None or sample[1] not in [current + end for end in suffixes.get(family.type, ("",))]:
        raise WrongFormatError(f"not of the family {current}: {line}")
    labels = frozenset((key, value) for key, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', sample[2] or ""))
    if labels in family.samples[sample[1]]:
        raise WrongFormatError(f"twice: {line}")
    value = float(sample[3].replace("Inf", "inf"))
    if family.type == "counter" and value < 0:
        raise WrongFormatError(f"a counter below zero: {line}")
    family.samples[sample[1]][labels] = value


def _check_histogram(name: str, family: Family) -> None:
    by_rest: dict[Labels, list[tuple[float, float]]] = defaultdict(list)
    for labels, value in family.samples[f"{name}_bucket"].items():
        bound = dict(labels)["le"]
        rest = frozenset(pair for pair in labels if pair[0] != "le")
        by_rest[rest].append((float(bound.replace("Inf", "inf")), value))
    for rest, buckets in by_rest.items():
        values = [value for _, value in sorted(buckets)]
        if values != sorted(values) or max(buckets)[0] != float("inf"):
            raise WrongFormatError(f"the buckets of {name} do not add up: {buckets}")
        if values[-1] != family.samples[f"{name}_count"][rest]:
            raise WrongFormatError(f"the last bucket of {name} is not its count")


def value(families: Mapping[str, Family], name: str, **labels: str) -> float:
    """The sum of the samples of that name which have these labels, and maybe others; 0 if there are none."""
    wanted = set(labels.items())
    return sum(number for family in families.values() for each, number in family.samples.get(name, {}).items() if wanted <= each)
