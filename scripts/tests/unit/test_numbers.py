"""Numbers in the documentation that come from code: limits, times and defaults."""

from __future__ import annotations

import re
import unittest
from collections.abc import Iterator
from typing import NamedTuple

from malob.system.place import ROOT
from tests import pages
from tools.docs.menu import DOCS

_JAVA = "src/main/java/io/malob/"
_SETTINGS = "src/main/resources/floodlightdefault.properties"
_WORDS = {"ten": 10, "six": 6, "one": 1}


class Fact(NamedTuple):
    """A number on a page, found by these words, and the constant in a file: the page says `times` as much."""

    page: str
    words: str
    file: str
    constant: str
    times: float = 1


FACTS = (
    Fact("how-to/operations.md", r"\| VIPs \| (\S+) \|", _JAVA + "state/catalog/Vip.java", r"MAX_NUMBER = (\S+);"),
    Fact("how-to/operations.md", r"\| pools \| (\S+) \|", _JAVA + "state/catalog/PoolKind.java", r"LIMIT = (\S+);"),
    Fact("how-to/operations.md", r"\| members \| (\S+) \|", _JAVA + "state/catalog/Member.java", r"MAX_NUMBER = (\S+);"),
    Fact("how-to/operations.md", r"\| services \| (\S+) \|", _JAVA + "state/catalog/ServiceKind.java", r"LIMIT = (\S+);"),
    Fact(
        "how-to/operations.md",
        r"dormant connections \| \S+, for (\S+) hour",
        _JAVA + "balancer/Connecting.java",
        r"DORMANT_NANOS = .*HOURS.toNanos\((\d+)\)",
    ),
    Fact(
        "how-to/operations.md", r"prepared labels between edge switches \| (\S+) \|", _JAVA + "balancer/reroute/PreparedLabels.java", r" MAX = (\S+);"
    ),
    Fact("how-to/operations.md", r"\| heap \| (\d+) MB", "scripts/malob/launcher/jvm.options", r"-Xmx(\d+)m"),
    Fact("how-to/operations.md", r"When a VIP has (\S+) half-open", _SETTINGS, r"maxHalfOpen=(\d+)", 1 / 4),
    Fact(
        "how-to/operations.md",
        r"has \S+ half-open connections \(a (quarter)",
        _JAVA + "balancer/connection/HalfOpenLimit.java",
        r" MANY = (\d+);",
        1 / 4,
    ),
    Fact("how-to/security.md", r"may send (\w+) wrong tokens", _JAVA + "controller/access/FailureLimit.java", r"AT_ONCE = (\S+);"),
    Fact(
        "how-to/security.md",
        r"then one every (\w+) seconds",
        _JAVA + "controller/access/FailureLimit.java",
        r"INTERVAL_NANOS = .*SECONDS.toNanos\((\d+)\)",
    ),
    Fact("how-to/security.md", r"The controller remembers (\S+)", _JAVA + "controller/access/FailureLimit.java", r"MAX_SOURCES = (\S+);"),
    Fact("how-to/security.md", r"send the next request \| (\d+) s", _JAVA + "controller/http/HttpLimits.java", r"IDLE_SECONDS = (\d+);"),
    Fact("how-to/security.md", r"read part of the response \| (\d+) s", _JAVA + "controller/http/HttpLimits.java", r"WRITE_SECONDS = (\d+);"),
    Fact("how-to/security.md", r"more than (\S+) ports", _JAVA + "controller/channel/SwitchPorts.java", r" MAX = (\S+);"),
    Fact("how-to/security.md", r"request after (\S+) parts", _JAVA + "controller/channel/PendingRequests.java", r"MAX_PARTS = (\S+);"),
    Fact("how-to/security.md", r"parts or (\d+) MiB", _JAVA + "controller/channel/PendingRequests.java", r"MAX_BYTES = (\d+)L \* 1024 \* 1024"),
    Fact("reference/metrics.md", r"has at most (\S+) pairs of service and algorithm", _JAVA + "balancer/api/PlacementCounts.java", r" MAX = (\S+);"),
    Fact("reference/metrics.md", r"At most (\S+) records wait", _JAVA + "state/record/RecordWriter.java", r"MAX_WAITING = (\S+);"),
    Fact(
        "reference/reliability.md",
        r"three echo intervals \((\d+) s",
        _JAVA + "controller/core/CoreModule.java",
        r"\"echoIntervalMillis\", ([\d_]+),",
        3 / 1000,
    ),
    Fact("reference/reliability.md", r"at most (\S+) such rules are created", _JAVA + "balancer/admission/AclDropRules.java", r"MAX_RULES = (\S+);"),
    Fact("how-to/endhost.md", r"default (198\.18\.255\.2)/30", "scripts/malob/endhost/options.py", r"DEFAULT_INSIDE = .*\"(198[\d.]+)/30\""),
)


class FactsTest(unittest.TestCase):
    def test_numbers_are_those_of_the_code(self) -> None:
        for fact in FACTS:
            with self.subTest(page=fact.page, words=fact.words):
                said = _only(fact.words, " ".join((DOCS / fact.page).read_text(encoding="utf-8").split()))
                constant = _only(fact.constant, (ROOT / fact.file).read_text(encoding="utf-8"))
                if "." in constant:
                    self.assertEqual(constant, said)
                elif said == "quarter":
                    self.assertEqual(1, float(constant) * fact.times)
                else:
                    self.assertAlmostEqual(_number(constant) * fact.times, _number(said))


class SettingsTest(unittest.TestCase):
    """A default beside a setting's name, as in `setting` (5) or (15 s, `setting`), or in a row of the table of limits."""

    def test_defaults_are_those_of_the_settings(self) -> None:
        settings: dict[str, set[float]] = {}
        for name, default in re.findall(r"^#io\.malob\.[\w.]+\.(\w+)=(\d+)$", (ROOT / _SETTINGS).read_text(encoding="utf-8"), re.MULTILINE):
            # two modules may have settings of one name
            settings.setdefault(name, set()).add(float(default))
        self.assertGreater(len(settings), 30)
        found = 0
        for page, name, number, unit in self.defaults():
            if name not in settings:
                continue
            found += 1
            with self.subTest(page=page, setting=name):
                times = 1000 if unit == "s" and name.endswith("Millis") else 1
                self.assertIn(_number(number) * times, settings[name])
        self.assertGreaterEqual(found, 8)

    def defaults(self) -> Iterator[tuple[str, str, str, str]]:
        for path in pages.pages():
            text = " ".join(pages.prose(path.read_text(encoding="utf-8")))
            for name, number, unit in re.findall(r"`(\w+)` \((\d[\d,.]*\d|\d)(?: (s|ms))?\)", text):
                yield path.relative_to(ROOT).as_posix(), name, number, unit
            for number, unit, name in re.findall(r"\((\d[\d,.]*\d|\d)(?: (s|ms))?, `(\w+)`\)", text):
                yield path.relative_to(ROOT).as_posix(), name, number, unit
        sizing = (DOCS / "how-to/operations.md").read_text(encoding="utf-8").partition("\n## Sizing\n")[2].partition("\n## ")[0]
        for number, name in re.findall(r"^\|[^|]*\| ([\d,]+)[^|]*\| `(\w+)` \|$", sizing, re.MULTILINE):
            yield "docs/how-to/operations.md", name, number, ""


def _only(pattern: str, text: str) -> str:
    """What the group of a pattern matches, where it is found first."""
    found = re.search(pattern, text)
    if found is None:
        raise AssertionError(f"'{pattern}' is not there")
    return found[1]


def _number(text: str) -> float:
    return _WORDS[text] if text in _WORDS else float(text.rstrip(",.").replace(",", "").replace("_", ""))


if __name__ == "__main__":
    unittest.main()
