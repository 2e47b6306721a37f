"""The web pages of `lab run endhost-web`: the number of flows of each, and their sizes. No I/O except on its file.

    python3 scripts/command.py research.experiments.endhost.pages    rewrites the file, with the same contents

Generated randomly with a seed, from the description of 100 popular sites in section 4 of the paper on web pages: 42 flows
per page on average, "relatively long-tailed" (151, 169, 207 and 281 on four pages), most flows "a few hundred KB or less",
the largest "close to 5MB".
"""

from __future__ import annotations

import csv
import io
import math
import random
from collections.abc import Sequence
from pathlib import Path

from malob.system.waiting import say

FILE = Path(__file__).parents[1] / "data" / "web-pages.csv"

PAGES, SEED = 100, 2017

#: The flows of the four pages in the text.
LARGEST_FLOWS = (281, 207, 169, 151)
MEAN_FLOWS = 42

#: Of the logarithms of sizes: e to the first is the median, in bytes.
_MEDIAN_BYTES, _SPREAD = 11_000, 1.5
MIN_BYTES, MAX_BYTES = 200, 5_000_000

#: Flows of one page per origin.
_FLOWS_PER_ORIGIN, MAX_ORIGINS = 5, 20


def make(seed: int = SEED) -> list[list[tuple[int, int]]]:
    """All pages. The first object of each is the page itself, at origin 0."""
    drawn = random.Random(f"pages/{seed}")
    pages = [_page(drawn, count) for count in _flow_counts(drawn)]
    largest = max(((size, page, place) for page, objects in enumerate(pages) for place, (_, size) in enumerate(objects)))
    _, page, place = largest
    pages[page][place] = (pages[page][place][0], MAX_BYTES - 100_000)
    return pages


def _flow_counts(drawn: random.Random) -> list[int]:
    """The numbers of flows, with the mean and the largest values of the text."""
    others = PAGES - len(LARGEST_FLOWS)
    raw = [min(120.0, drawn.lognormvariate(0, 0.8) * 25) for _ in range(others)]
    factor = (MEAN_FLOWS * PAGES - sum(LARGEST_FLOWS)) / sum(raw)
    counts = [*LARGEST_FLOWS, *(max(1, round(count * factor)) for count in raw)]
    drawn.shuffle(counts)
    return counts


def _page(drawn: random.Random, count: int) -> list[tuple[int, int]]:
    origins = min(MAX_ORIGINS, max(1, round(count / _FLOWS_PER_ORIGIN)))
    # the page's own origin has the max number
    weights = [1 / (origin + 1) for origin in range(origins)]
    return [(0 if place == 0 else drawn.choices(range(origins), weights)[0], _size(drawn)) for place in range(count)]


def _size(drawn: random.Random) -> int:
    size = math.exp(drawn.gauss(math.log(_MEDIAN_BYTES), _SPREAD))
    return int(min(MAX_BYTES, max(MIN_BYTES, size)) // 100 * 100)


def text(pages: Sequence[Sequence[tuple[int, int]]]) -> str:
    """As the file has it."""
    out = io.StringIO()
    out.write("# made by scripts/research/experiments/endhost/pages.py\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["page", "origin", "bytes"])
    for number, page in enumerate(pages):
        writer.writerows([number, origin, size] for origin, size in page)
    return out.getvalue()


def load() -> list[list[tuple[int, int]]]:
    """From the file."""
    pages: list[list[tuple[int, int]]] = [[] for _ in range(PAGES)]
    with open(FILE, encoding="utf-8", newline="") as file:
        next(file)
        for row in csv.DictReader(file):
            pages[int(row["page"])].append((int(row["origin"]), int(row["bytes"])))
    return pages


def main() -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text(make()), encoding="utf-8")
    say(f"wrote {FILE}")


if __name__ == "__main__":
    main()
