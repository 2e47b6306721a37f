"""The ideal time of a number of equal files over several links, and the expected time with random choices.

Pure. Links carry their rate of IP bytes. Times are those of the links alone, without delays of hosts and servers.
"""

from __future__ import annotations

import heapq
import itertools
import random
from dataclasses import dataclass

#: The TCP data in a full packet of 1,500 bytes: 20 bytes each for IP and TCP, 12 for time stamps.
MSS, HEADERS = 1448, 52

#: The bytes of a connection besides the data, towards the client: SYN with its options, and three packets without data (the request and
#: the client's end are acknowledged, and the server ends the connection).
_CONTROL = 60 + 3 * HEADERS

#: The bytes that nginx sends before a file.
HEAD_BYTES = 253

#: The bytes that the host sends before a file comes: SYN with its options, ACK, and the request of programs/file_loop.py.
SENT_FIRST = 60 + HEADERS + (HEADERS + 41)


@dataclass(frozen=True)
class Job:
    """Equal files, several at a time, over links of these rates; round_trip_s: of an idle link."""

    files: int
    at_a_time: int
    body_bytes: int
    rates_mbps: tuple[float, ...]
    round_trip_s: float

    @property
    def wire_bytes(self) -> int:
        """The bytes of one file, in IP packets towards the client."""
        data = self.body_bytes + HEAD_BYTES
        return data + HEADERS * -(-data // MSS) + _CONTROL

    def seconds_on(self, link: int) -> float:
        """The time that a link needs for one file."""
        return self.wire_bytes * 8 / (self.rates_mbps[link] * 1e6)

    def seconds_before(self, link: int) -> float:
        """The time from a connection's SYN to the first bit of the answer: two round trips, in which the host sends, too."""
        return 2 * self.round_trip_s + SENT_FIRST * 8 / (self.rates_mbps[link] * 1e6)


def fluid_s(job: Job) -> float:
    """The time if files could be divided arbitrarily: all links end at the same time."""
    return job.files * job.wire_bytes * 8 / (sum(job.rates_mbps) * 1e6)


def whole_files(job: Job) -> list[int]:
    """The number of files for each link with the earliest end of the last file."""
    counts = [0] * len(job.rates_mbps)
    ends = [(job.seconds_on(link), link) for link in range(len(counts))]
    heapq.heapify(ends)
    for _ in range(job.files):
        end, link = heapq.heappop(ends)
        counts[link] += 1
        heapq.heappush(ends, (end + job.seconds_on(link), link))
    return counts


def ideal_s(job: Job) -> float:
    """The time with whole files, links that are never idle, and the time before the first byte; or, if longer, with so few
    parallel files that each waits for its connection and its answer."""
    busy = max(job.seconds_before(link) + count * job.seconds_on(link) for link, count in enumerate(whole_files(job)) if count)
    fastest = max(range(len(job.rates_mbps)), key=lambda link: job.rates_mbps[link])
    rounds = -(-job.files // job.at_a_time)
    return max(busy, rounds * (job.seconds_before(fastest) + job.seconds_on(fastest)))


def by_chance_s(job: Job, seed: int, runs: int = 2000) -> float:
    """The mean time of random choices in proportion to the rates: files on one link share it equally."""
    drawn = random.Random(seed)
    return sum(_one_by_chance_s(job, drawn) for _ in range(runs)) / runs


def _one_by_chance_s(job: Job, drawn: random.Random) -> float:
    """As soon as a file ends, the next one begins on a random link; a link's files are equal, so they end in the order in
    which they began."""
    links = [_SharedLink(rate) for rate in job.rates_mbps]
    chosen = drawn.choices(range(len(links)), job.rates_mbps, k=job.files)
    waiting = iter(chosen)
    for first in itertools.islice(waiting, job.at_a_time):
        links[first].begin(job.wire_bytes * 8)
    now = max(map(job.seconds_before, range(len(links))))
    while any(link.active for link in links):
        step, which = min((link.next_end_s(), number) for number, link in enumerate(links) if link.active)
        now += step
        for link in links:
            link.advance(step)
        links[which].end()
        begun = next(waiting, None)
        if begun is not None:
            links[begun].begin(job.wire_bytes * 8)
    return now


class _SharedLink:
    """Each file on it gets an equal share: all together have been served `_served` bits each since the beginning."""

    def __init__(self, rate_mbps: float) -> None:
        self._bps = rate_mbps * 1e6
        self._served = 0.0
        self._ends: list[float] = []

    @property
    def active(self) -> int:
        return len(self._ends)

    def begin(self, bits: float) -> None:
        heapq.heappush(self._ends, self._served + bits)

    def next_end_s(self) -> float:
        return max(0.0, self._ends[0] - self._served) * self.active / self._bps

    def advance(self, seconds: float) -> None:
        if self._ends:
            self._served += seconds * self._bps / self.active

    def end(self) -> None:
        heapq.heappop(self._ends)
