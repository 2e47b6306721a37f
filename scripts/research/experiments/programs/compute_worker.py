"""Loads a processor as an alignment tool does, until it has used this processor time; run as a program.

`compute_worker.py CPU_SECONDS [SHARE_FILE]`: aligns two protein sequences repeatedly (local alignment by dynamic
programming). With SHARE_FILE it limits itself to the share of a processor in this file, which may change.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

_LETTERS = "ACDEFGHIKLMNPQRSTVWY"
_PERIOD_S = 0.05


def best_score(first: str, second: str) -> int:
    """The score of the best local alignment: 2 for a match, -1 for a difference or a gap."""
    best = 0
    row = [0] * (len(second) + 1)
    for letter in first:
        diagonal = 0
        for place, other in enumerate(second, start=1):
            score = max(0, diagonal + (2 if letter == other else -1), row[place] - 1, row[place - 1] - 1)
            diagonal, row[place] = row[place], score
            best = max(best, score)
    return best


def main() -> None:
    wanted_s = float(sys.argv[1])
    share = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    source = random.Random(1)
    first, second = ("".join(source.choices(_LETTERS, k=60)) for _ in range(2))
    began, used = time.monotonic(), time.process_time()
    while time.process_time() < wanted_s:
        best_score(first, second)
        if share is not None:
            allowed_s = float(share.read_text()) * _PERIOD_S
            if time.process_time() - used >= allowed_s:
                time.sleep(max(0.0, began + _PERIOD_S - time.monotonic()))
                began, used = time.monotonic(), time.process_time()


if __name__ == "__main__":
    main()
