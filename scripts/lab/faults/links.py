"""Link failures: with port changes, repeated, silent, or of all links between two parts of the network."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from lab.instance import Instance
from malob.network.links import Direction


@contextmanager
def down(lab: Instance, first: str, second: str) -> Iterator[None]:
    """The link is down: both switches report that their ports are removed."""
    lab.set_link(first, second, up=False)
    try:
        yield
    finally:
        lab.set_link(first, second, up=True)


def flap(lab: Instance, first: str, second: str, times: int, pause_s: float) -> None:
    """Takes the link down and up a number of times, with a pause after each change; it is up at the end."""
    for _ in range(times):
        with down(lab, first, second):
            time.sleep(pause_s)
        time.sleep(pause_s)


def make_silenceable(lab: Instance, first: str, second: str) -> None:
    """Lets the shaper carry the link, for silent(): if the link had no limits, its ports are removed and added once."""
    for ends in ((first, second), (second, first)):
        if not lab.shaped(lab.topology.link(*ends)):
            lab.shape(*ends, Direction())


@contextmanager
def silent(lab: Instance, first: str, second: str) -> Iterator[None]:
    """The link, prepared by make_silenceable(), carries nothing in either direction, and both ports stay up, as in a tunnel."""
    before = {}
    for ends in ((first, second), (second, first)):
        before[ends] = lab.shaper.read(lab.link_device(*ends)).direction
        lab.shape(*ends, replace(before[ends], loss=1))
    try:
        yield
    finally:
        for ends, direction in before.items():
            lab.shape(*ends, direction)


@contextmanager
def partition(lab: Instance, apart: Collection[str]) -> Iterator[None]:
    """All links between these switches and the others are down."""
    with ExitStack() as cuts:
        for link in lab.topology.links:
            if (link.first in apart) != (link.second in apart):
                cuts.enter_context(down(lab, *link.ends))
        yield
