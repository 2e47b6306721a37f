"""Generates topologies from words such as "tree:3,2", in the form of a topology file. No I/O."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any, Callable

from malob.errors import UsageError
from malob.network.links import check_limit

#: The form of each generated topology, and its description. All take rate=MBPS and delay=MS for their links.
FORMS = {
    "line:N": "N switches in a row, a host on each",
    "ring:N": "N switches in a ring, a host on each",
    "tree:DEPTH,FANOUT": "a tree with DEPTH levels of switches; below each of the last are FANOUT hosts",
    "fat-tree:K": "a fat tree of switches with K ports, K * K * K / 4 hosts",
    "waxman:N[,SEED]": "N switches at random places, near ones joined more often, a host on each",
}

MAX_SWITCHES = 1000
MAX_HOSTS = 5000

Names = Sequence[str]
Pairs = Sequence[tuple[str, str]]
#: Switches with their datapath ids, pairs of switches that are joined, and the switch of each host.
Graph = tuple[dict[str, str], Pairs, Names]


def is_generated(text: str) -> bool:
    """Whether a topology is asked for by rule, rightly or wrongly."""
    return text.partition(":")[0] in _RULES and ":" in text


def generate(text: str) -> dict[str, Any]:
    """The document of a topology that is asked for as FORMS say. Raises UsageError, naming the parameter that is wrong.

    The same text always gives the same topology.
    """
    kind, _, words = text.partition(":")
    numbers, limits = _parameters(text, words.split(","))
    low, high, rule = _RULES[kind]
    if not low <= len(numbers) <= high:
        raise UsageError(f"'{text}': expected {_form(kind)}, optionally with rate=MBPS and delay=MS")
    switches, links, attached = rule(text, *numbers)
    _bounded(text, "hosts", len(attached), 0, MAX_HOSTS)
    return {
        "description": f"{len(switches)} switches, {len(attached)} hosts, {len(links)} links, by rule",
        "switches": switches,
        "hosts": _hosts(attached),
        "links": [{"ends": list(pair), **limits} for pair in links],
    }


def _form(kind: str) -> str:
    return next(form for form in FORMS if form.partition(":")[0] == kind)


def _parameters(text: str, words: Names) -> tuple[list[int], dict[str, float]]:
    numbers: list[int] = []
    limits: dict[str, float] = {}
    fields = {"rate": "rate_mbps", "delay": "delay_ms"}
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            if name not in fields or fields[name] in limits:
                raise UsageError(f"'{text}': expected rate=MBPS or delay=MS, each once, not '{word}'")
            limits[fields[name]] = check_limit(f"'{text}': {name}", fields[name], _number(text, name, value))
        elif limits or not (word.isascii() and word.isdigit()):
            raise UsageError(f"'{text}': expected whole numbers, then rate=MBPS or delay=MS, not '{word}'")
        else:
            numbers.append(int(word))
    return numbers, limits


def _number(text: str, name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UsageError(f"'{text}': {name}: '{value}' is not a number") from None


def _bounded(text: str, what: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise UsageError(f"'{text}': {what}: expected {low} to {high}, not {value}")
    return value


def _hosts(attached: Names) -> dict[str, Any]:
    """Clients c1, c2… and servers w1, w2… by turns."""
    hosts: dict[str, Any] = {}
    for index, switch in enumerate(attached):
        number = index // 2 + 1
        letter, role, network = (("c", "client", 1), ("w", "server", 2))[index % 2]
        hosts[f"{letter}{number}"] = {"switch": switch, "ip": f"10.{network}.{number // 256}.{number % 256}/8", "role": role}
    return hosts


def _numbered(count: int) -> dict[str, str]:
    """Switches s1, s2…; the digits of a datapath id are those of the name, as in 00:…:00:12 for s12."""
    return {f"s{number}": _dpid(number) for number in range(1, count + 1)}


def _dpid(*numbers: int) -> str:
    """A datapath id that shows decimal numbers, four digits each, at its end."""
    digits = "".join(f"{number:04d}" for number in numbers).zfill(16)
    return ":".join(digits[i : i + 2] for i in range(0, 16, 2))


def _line(text: str, count: int) -> Graph:
    switches = _numbered(_bounded(text, "N", count, 2, MAX_SWITCHES))
    names = list(switches)
    return switches, list(zip(names, names[1:])), names


def _ring(text: str, count: int) -> Graph:
    switches = _numbered(_bounded(text, "N", count, 3, MAX_SWITCHES))
    names = list(switches)
    return switches, list(zip(names, [*names[1:], names[0]])), names


def _tree(text: str, depth: int, fanout: int) -> Graph:
    _bounded(text, "DEPTH", depth, 1, 10)
    _bounded(text, "FANOUT", fanout, 1, 100)
    last = fanout ** (depth - 1)
    count = sum(fanout**level for level in range(depth))
    switches = _numbered(_bounded(text, "switches", count, 1, MAX_SWITCHES))
    names = list(switches)
    # breadth first: the children of switch n, counted from 0, are n * fanout + 1 and the following
    links = [(names[(child - 1) // fanout], names[child]) for child in range(1, count)]
    return switches, links, [name for name in names[count - last :] for _ in range(fanout)]


def _fat_tree(text: str, ports: int) -> Graph:
    """Pods of an aggregation and an edge layer below a core (Al-Fares et al., SIGCOMM 2008, section 3)."""
    if _bounded(text, "K", ports, 2, 16) % 2:
        raise UsageError(f"'{text}': K: expected an even number, not {ports}")
    half = ports // 2
    around = range(1, half + 1)
    pods = range(1, ports + 1)
    core = {f"core-{n}": _dpid(3, 0, n) for n in range(1, half * half + 1)}
    aggregation = {f"agg-{pod}-{n}": _dpid(2, pod, n) for pod in pods for n in around}
    edge = {f"edge-{pod}-{n}": _dpid(1, pod, n) for pod in pods for n in around}
    links = [(f"agg-{pod}-{above}", f"edge-{pod}-{below}") for pod in pods for above in around for below in around]
    links += [(f"core-{(above - 1) * half + n}", f"agg-{pod}-{above}") for pod in pods for above in around for n in around]
    return {**core, **aggregation, **edge}, links, [name for name in edge for _ in around]


def _waxman(text: str, count: int, seed: int = 1) -> Graph:
    """Two switches are joined with a probability that falls with their distance (Waxman, 1988).

    About two links per switch are drawn; parts that stay apart are joined where they are nearest.
    """
    switches = _numbered(_bounded(text, "N", count, 2, MAX_SWITCHES))
    names = list(switches)
    chance = random.Random(seed)
    # only random() itself gives the same numbers in all versions of Python
    places = {name: (chance.random(), chance.random()) for name in names}
    pairs = list(itertools.combinations(names, 2))
    distances = {(a, b): math.dist(places[a], places[b]) for a, b in pairs}
    # 0.15 of the maximum distance
    weights = {pair: math.exp(-distances[pair] / (0.15 * math.sqrt(2))) for pair in pairs}
    scale = 2 * count / sum(weights.values())
    links = [pair for pair in pairs if chance.random() < scale * weights[pair]]
    return switches, links + _missing(names, links, sorted(pairs, key=distances.__getitem__)), names


def _missing(names: Names, links: Pairs, candidates: Pairs) -> list[tuple[str, str]]:
    """The first of the candidates that make all one, with the links."""
    part = {name: name for name in names}

    def root(name: str) -> str:
        while part[name] != name:
            part[name] = part[part[name]]
            name = part[name]
        return name

    for a, b in links:
        part[root(a)] = root(b)
    added = []
    for a, b in candidates:
        if root(a) != root(b):
            part[root(a)] = root(b)
            added.append((a, b))
    return added


#: by kind: the fewest and the most numbers that it takes, and the rule
_RULES: dict[str, tuple[int, int, Callable[..., Graph]]] = {
    "line": (1, 1, _line),
    "ring": (1, 1, _ring),
    "tree": (2, 2, _tree),
    "fat-tree": (1, 1, _fat_tree),
    "waxman": (1, 2, _waxman),
}
