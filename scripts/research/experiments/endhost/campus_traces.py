"""Makes lab/traces/campus-wifi.csv and campus-lte.csv: a walk of 400 s out of a building, as described in two papers. Pure.

    python3 scripts/command.py research.experiments.endhost.campus_traces    rewrites both files, with the same contents

The measured data are not published. Section 6.1 of the paper on web pages says: "for the first 2 minutes ... highly dynamic,
with WiFi having a higher capacity up 160 Mbps, while LTE/4G has a capacity of well below 10 Mbps"; then LTE is "relatively
steady ... around 30", and WiFi "fluctuates highly and with mostly a lower capacity, and with some sections that have
no throughput at all". Section 8.2 of the paper of 2020 puts the way out at the 100th second, LTE "around 20 Mbps until the end", and
one link alone at "near to than 20 Mbps and 30 Mbps for LTE and WiFi". So: out at 110 s; LTE 5, then 25; WiFi 72 inside, at
most 80 here (a switch in user space carries no more in such experiments), and 18 outside with four gaps of 8 to 20 s.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from lab.shaping.trace import DIRECTORY, Step
from malob.system.waiting import say

SECONDS, OUT_AT_S = 400, 110
MAX_MBPS, MIN_MBPS = 80.0, 0.3
SEED = 2020

#: From, to: seconds without any throughput.
GAPS = ((152, 164), (205, 225), (263, 271), (318, 334))

#: Where nothing passes, a link has a rate still, and loses everything.
_NOTHING = (0.1, 1.0)

_HEAD = """\
# {what}, of a walk of 400 s out of a building: made up from what two papers tell of their measurement (which is not
# published), by scripts/research/experiments/campus_traces.py with seed {seed}; a loss of 1 stands for no throughput at all.
seconds,rate_mbps,delay_ms,loss
"""
DELAY_MS = 5.0


def wifi(seed: int = SEED) -> list[Step]:
    """Fast and uneven inside, slow and with gaps outside."""
    drawn = random.Random(f"wifi/{seed}")
    inside = _wandering(drawn, 72, 0.45, 0.7)
    outside = _wandering(drawn, 18, 0.75, 0.8)
    return [_step(second, None if _gap(second) else (inside if second < OUT_AT_S else outside)[second]) for second in range(SECONDS)]


def lte(seed: int = SEED) -> list[Step]:
    """Slow inside, faster and steady outside, with some seconds in between."""
    drawn = random.Random(f"lte/{seed}")
    inside, outside = _wandering(drawn, 5, 0.3, 0.7), _wandering(drawn, 25, 0.12, 0.8)
    return [_step(second, (1 - _outside(second)) * inside[second] + _outside(second) * outside[second]) for second in range(SECONDS)]


def _wandering(drawn: random.Random, median: float, spread: float, memory: float) -> list[float]:
    """A log-normal first-order autoregression: spread is the logarithm's standard deviation."""
    values, state = [], drawn.gauss(0, spread)
    for _ in range(SECONDS):
        state = memory * state + math.sqrt(1 - memory * memory) * drawn.gauss(0, spread)
        values.append(median * math.exp(state))
    return values


def _outside(second: int) -> float:
    """From 0 to 1 within ten seconds."""
    return min(1.0, max(0.0, (second - OUT_AT_S + 5) / 10))


def _gap(second: int) -> bool:
    return any(begin <= second < end for begin, end in GAPS)


def _step(second: int, mbps: float | None) -> Step:
    if mbps is None:
        return Step(second, _NOTHING[0], DELAY_MS, _NOTHING[1])
    return Step(second, round(min(MAX_MBPS, max(MIN_MBPS, mbps)), 1), DELAY_MS, 0.0)


def text(what: str, steps: Sequence[Step]) -> str:
    """As the file has it."""
    rows = [f"{step.seconds:g},{step.rate_mbps:g},{step.delay_ms:g},{step.loss:g}" for step in steps]
    return _HEAD.format(what=what, seed=SEED) + "\n".join(rows) + "\n"


def files() -> dict[str, str]:
    """By name, what the files are to hold."""
    return {"campus-wifi": text("WiFi", wifi()), "campus-lte": text("LTE", lte())}


def main() -> None:
    for name, content in files().items():
        path = DIRECTORY / f"{name}.csv"
        path.write_text(content)
        say(f"wrote {path}")


if __name__ == "__main__":
    main()
