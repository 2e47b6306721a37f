"""The documentation: its links, its menu, and the marks of its commands."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from urllib.parse import unquote

from malob.system.place import ROOT
from tests import calls, outputs, pages
from tests.blocks import BadMark, Block, Fate, blocks, indented_commands
from tools.docs import diagrams, menu, source
from tools.docs.menu import DOCS

#: Pages whose commands need not be marked: what another test does, or why they are not run.
MARKED_ELSEWHERE = {
    "README.md": "a line or two for each thing; the pages that it links to are walked through",
    "CONTRIBUTING.md": "what continuous integration does is what it tells",
    "CHANGELOG.md": "no commands to follow",
    "bench/README.md": "measurements, of minutes to hours; the tests of bench/ are of what they compute",
    "simulations/README.md": "the tests of simulations/ run each of them for a moment",
    "scripts/agents/README.md": "the system tests of reports set agents up in the same way",
    "docs/reference/rest-api.md": "DocumentedCommandsTest runs every command of it",
    "docs/how-to/endhost.md": "the system tests of end hosts bring one up and down, on uplinks of their own",
    "docs/how-to/page.md": "the system test in a browser does it",
    "docs/reference/metrics.md": "the system test of metrics does it",
    "docs/how-to/testbeds.md": "the system test of the set-up scripts does it",
    "geni/README.md": "the system test of the set-up scripts does it",
    "docs/how-to/install.md": "the tests of the packages install, upgrade and remove them",
}


class PagesTest(unittest.TestCase):
    def test_every_command_is_run_or_says_why_not(self) -> None:
        for page, text in _texts():
            if _name(page) in MARKED_ELSEWHERE:
                continue
            with self.subTest(page=_name(page)):
                self.assertEqual([], [block.line for block in blocks(text) if block.fate is Fate.UNMARKED])
                self.assertEqual([], indented_commands(text), "commands stand in fenced blocks")

    def test_tests_that_pages_name_exist(self) -> None:
        known = {path.stem for path in (ROOT / "src" / "test").rglob("*.java")}
        for path in (ROOT / "scripts" / "tests").rglob("test_*.py"):
            known |= {path.stem} | set(re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
        for page, text in _texts():
            for block in blocks(text):
                with self.subTest(page=_name(page), line=block.line):
                    self.assertTrue(block.fate is not Fate.TESTED or block.test in known, block.test)

    def test_what_is_told_to_malob_it_understands(self) -> None:
        found = 0
        for page, text in _texts():
            for words in calls.calls(text):
                found += 1
                with self.subTest(page=_name(page), call=" ".join(words)):
                    self.assertEqual([], calls.unknown(words))
        self.assertGreater(found, 80)

    def test_links_lead_somewhere(self) -> None:
        found = 0
        for page, text in _texts():
            for link in pages.links(text):
                if re.match(r"[a-z]+:", link):
                    continue
                found += 1
                with self.subTest(page=_name(page), link=link):
                    self.assertEqual("", _wrong(page, text, link))
        self.assertGreater(found, 50)

    def test_lines_of_prose_have_at_most_120_characters(self) -> None:
        """Tables, commands and their output may be wider."""
        for page, text in _texts():
            with self.subTest(page=_name(page)):
                self.assertEqual([], [line for line in pages.prose(text) if len(line) > 120 and not line.startswith(("|", "    "))])

    def test_text_of_figures_can_be_searched_and_they_have_no_date(self) -> None:
        for figure in sorted((ROOT / "docs" / "figures").glob("*.svg")):
            with self.subTest(figure=figure.name):
                drawn = figure.read_text(encoding="utf-8")
                self.assertIn("<text", drawn)
                self.assertNotIn("<dc:date>", drawn)

    def test_every_page_is_in_the_menu(self) -> None:
        listed = {menu.HOME} | {entry.page for entry in menu.everything()}
        self.assertEqual(set(), {_name(page) for page in pages.pages()} - listed)

    def test_every_page_of_the_menu_exists_or_is_generated(self) -> None:
        listed = [entry.page for entry in menu.everything()]
        self.assertEqual([], [page for page in listed if page not in source.GENERATORS and not (ROOT / page).is_file()])

    def test_menu_has_no_page_twice(self) -> None:
        listed = [entry.page for entry in menu.everything()]
        self.assertEqual(sorted(set(listed)), sorted(listed))


class ArchitectureTest(unittest.TestCase):
    def test_table_of_rules_has_the_priorities_of_the_code(self) -> None:
        layout = (ROOT / "src/main/java/io/malob/openflow/FlowLayout.java").read_text(encoding="utf-8")
        page = (DOCS / "architecture/data-plane.md").read_text(encoding="utf-8")
        code = {int(number.replace("_", "")) for number in re.findall(r"int PRIORITY_\w+ = ([\d_]+);", layout)}
        sections = (
            "## What a switch holds",
            "## Proactive placement",
            "### Tracked connections",
            "### Source addresses",
            "### Switches with fewer tables",
        )
        holds = "".join(re.split(r"\n###? ", page.partition(f"\n{section}\n")[2])[0] for section in sections)
        table = {int(number) for number in re.findall(r"^\|[^|]*\| (\d+) \|", holds, re.MULTILINE)}
        table |= {int(number) for cell in re.findall(r"^\| (\d{2}[\d, ]*) \|", holds, re.MULTILINE) for number in cell.split(",")}
        self.assertGreater(len(code), 10)
        self.assertEqual(code, table)

    def test_table_of_threads_has_their_names(self) -> None:
        page = (DOCS / "architecture/code-map.md").read_text(encoding="utf-8")
        threads = page.partition("\n## Threads\n")[2].partition("\n## ")[0]
        names = [
            name
            for source in (ROOT / "src/main/java/io/malob").rglob("*.java")
            for name in re.findall(r"(?:ThreadFactory\(|setNameFormat\()\"([a-z-]+?)(?:-%d)?\"", source.read_text(encoding="utf-8"))
        ]
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            with self.subTest(name=name):
                self.assertIn(f"`{name}`", threads)

    def test_classes_that_pages_name_exist(self) -> None:
        """`Name`, `folder/Name` and `Name.member` are classes of ours, but for a few names of others."""
        of_others = {"LongAdder", "MasqueradeAddress"}
        classes = [path.with_suffix("").as_posix() for path in (ROOT / "src").rglob("*.java")]
        found = 0
        for page in (DOCS / "architecture").glob("*.md"):
            named = re.findall(r"`((?:[a-z]+/)*[A-Z][a-z]\w*)(?:\.\w+(?:\(\))?)?`", page.read_text(encoding="utf-8"))
            for name in sorted(set(named) - of_others):
                found += 1
                with self.subTest(page=page.name, name=name):
                    self.assertTrue(any(each.endswith(f"/{name}") for each in classes))
        self.assertGreater(found, 150)


class DiagramsTest(unittest.TestCase):
    """Diagrams are current; else: python3 scripts/command.py tools.docs.diagrams --write"""

    def test_each_was_made_from_its_text(self) -> None:
        self.assertEqual(
            [text.with_suffix(".svg").name for text in diagrams.sources()],
            sorted(path.name for path in (DOCS / "architecture").glob("*.svg")),
        )
        self.assertGreaterEqual(len(diagrams.sources()), 2)
        for text in diagrams.sources():
            with self.subTest(source=text.name):
                svg = text.with_suffix(".svg").read_text(encoding="utf-8")
                self.assertTrue(svg.endswith(diagrams.mark(text)))

    @unittest.skipUnless(diagrams.can_draw(), "Node or @viz-js/viz is missing: ./malob prepare page")
    def test_each_is_what_its_text_draws(self) -> None:
        for text in diagrams.sources():
            with self.subTest(source=text.name):
                self.assertEqual(diagrams.drawn(text), text.with_suffix(".svg").read_text(encoding="utf-8"))

    def test_components_are_the_packages_of_the_code(self) -> None:
        text = (DOCS / "architecture/components.dot").read_text(encoding="utf-8")
        shown = set(re.findall(r"^ +(\w+) \[label=\"(?:\w|\.)+[\"\\]", text, re.MULTILINE))
        code = {path.name for path in (ROOT / "src/main/java/io/malob").iterdir() if path.is_dir()}
        self.assertEqual(code | {"floodlight"}, shown)


class TroubleshootingTest(unittest.TestCase):
    def test_what_the_log_says_is_what_the_code_says(self) -> None:
        """Names and numbers in a quotation are examples; the words between them stand in the sources."""
        of_the_system = {"Address already in use"}
        page = (DOCS / "how-to/troubleshooting.md").read_text(encoding="utf-8")
        quoted = re.findall(r"log says `([^`]+)`", page)
        table = page.partition("| the log says |")[2].partition("\n\n")[0]
        quoted += re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
        self.assertGreaterEqual(len(quoted), 6)
        sources = "".join(
            # a text that continues in the next line
            re.sub(r"\"\s*\+\s*\"", "", source.read_text(encoding="utf-8"))
            for source in (ROOT / "src/main/java/io/malob").rglob("*.java")
        )
        for text in quoted:
            words = [
                part
                for part in re.split(r"[\w./]*[./\d][\w./]*|\"[^\"]*\"|[:;()%]", text)
                if len(part.strip()) > 8 and part.strip() not in of_the_system
            ]
            for part in words:
                with self.subTest(quoted=text, words=part):
                    self.assertTrue(part.strip() in sources)


class BlocksTest(unittest.TestCase):
    def test_marks_say_what_becomes_of_a_block(self) -> None:
        for mark, expected in {
            "<!-- run -->": (Fate.WALKED, "first", False, False),
            "<!-- run in the second terminal; goes on; figures vary -->": (Fate.WALKED, "second", True, True),
            "<!-- not run: it takes an hour; or two -->": (Fate.NOT_RUN, "first", False, False),
            "<!-- run by SomeTest -->": (Fate.TESTED, "first", False, False),
            "": (Fate.UNMARKED, "first", False, False),
            "<!-- running is healthy -->": (Fate.UNMARKED, "first", False, False),
        }.items():
            with self.subTest(mark=mark):
                block = self._only(f"{mark}\n```sh\ntrue\n```\n")
                self.assertEqual(expected, (block.fate, block.terminal, block.goes_on, block.figures_vary))

    def test_reason_and_test_are_kept(self) -> None:
        self.assertEqual("too long; really", self._only("<!-- not run: too long; really -->\n```sh\na\n```\n").reason)
        self.assertEqual("SomeTest", self._only("<!-- run by SomeTest -->\n```sh\na\n```\n").test)

    def test_mark_that_is_none_is_refused(self) -> None:
        for mark in ("run; sometimes", "run in the terminal", "not run:", "run by", "not run"):
            with self.subTest(mark=mark), self.assertRaises(BadMark):
                blocks(f"<!-- {mark} -->\n```sh\ntrue\n```\n")

    def test_script_is_commands_without_comments(self) -> None:
        block = self._only("```sh\n# first\none \\\n  more\n\ntwo   # why\n```\n")
        self.assertEqual(["one \\\n  more", "two   # why"], [command.text for command in block.commands])

    def test_console_has_what_each_command_prints(self) -> None:
        block = self._only("```console\n$ one \\\n  more\nyes\n\n  no\n$ two\nmininet> three\n```\n")
        self.assertEqual(
            [("one \\\n  more", ("yes", "", "  no")), ("two", ()), ("three", ())], [(command.text, command.output) for command in block.commands]
        )

    def test_block_in_a_list_loses_its_indentation_only(self) -> None:
        block = self._only("1. So:\n\n   ```sh\n   cat <<END\n     deep\n   END\n   ```\n")
        self.assertEqual(["cat <<END", "  deep", "END"], [command.text for command in block.commands])

    def test_other_languages_and_what_stands_in_them_are_no_commands(self) -> None:
        self.assertEqual([], blocks("```json\n{}\n```\n\n````text\n```sh\nx\n```\n````\n"))

    def test_indented_commands_are_found_outside_of_fences_only(self) -> None:
        page = 'text\n\n    sudo ./malob demo\n\n```text\n    sudo x\n```\n\n       $ curl x\n\n    {"a": 1}\n'
        self.assertEqual([3, 9], indented_commands(page))

    def _only(self, page: str) -> Block:
        [block] = blocks(page)
        return block


class OutputsTest(unittest.TestCase):
    def test_lines_are_compared_as_they_are(self) -> None:
        self.assertTrue(outputs.matches(["a  b", "c"], "a  b  \nc\n\n"))
        self.assertFalse(outputs.matches(["a  b", "c"], "a b\nc\n"))
        self.assertFalse(outputs.matches(["a"], "a\nb\n"))
        self.assertFalse(outputs.matches(["a.c"], "abc\n"))

    def test_ellipsis_stands_for_anything_in_a_line_or_for_lines(self) -> None:
        self.assertTrue(outputs.matches(["a…z"], "a to z\n"))
        self.assertFalse(outputs.matches(["a…z"], "a\nz\n"))
        self.assertTrue(outputs.matches(["a", "…", "z"], "a\nz\n"))
        self.assertTrue(outputs.matches(["a", "…", "z"], "a\nb\nc\nz\n"))
        self.assertFalse(outputs.matches(["a", "…", "z"], "a\nb\n"))

    def test_figures_that_vary_may_be_other_ones_or_unknown(self) -> None:
        self.assertTrue(outputs.matches(["took   1.5 ms, 02/3"], "took 12 ms, 12/34\n", figures_vary=True))
        self.assertTrue(outputs.matches(["CPU  10"], "CPU   -\n", figures_vary=True))
        self.assertTrue(outputs.matches(["id", "a  1", "b  2"], "id\nb  7\na  8\n", figures_vary=True))
        self.assertFalse(outputs.matches(["id", "a  1", "b  2"], "id\nb  7\nb  8\n", figures_vary=True))
        self.assertFalse(outputs.matches(["a  1", "b  2"], "b  2\na  1\n"))
        self.assertFalse(outputs.matches(["took 1.5 ms"], "took long ms\n", figures_vary=True))
        self.assertFalse(outputs.matches(["took 1.5 ms"], "took 1.6 ms\n"))

    def test_lines_are_found_among_others_in_their_order(self) -> None:
        self.assertTrue(outputs.shows(["…listens on 80"], "hello\nit listens on 80\nmore\n"))
        self.assertFalse(outputs.shows(["a", "b"], "b\na\n"))


class LauncherTest(unittest.TestCase):
    def test_calls_are_found_in_prose_and_blocks(self) -> None:
        text = "Say `./malob lab up x --scale 2`, or\n\n    sudo ./malob demo --keep; ls\n./malob lab exec h1 ping -c 1 h2\n"
        self.assertEqual([["lab", "up", "x", "--scale", "2"], ["demo", "--keep"], ["lab", "exec", "h1"]], list(calls.calls(text)))

    def test_commands_and_options_that_are_not_there_are_told(self) -> None:
        self.assertEqual([], calls.unknown(["lab", "up", "mesh5", "--scale=2"]))
        self.assertEqual(["--sclae"], calls.unknown(["lab", "up", "mesh5", "--sclae", "2"]))
        self.assertEqual(["dance"], calls.unknown(["dance", "--now"]))
        self.assertEqual(["--nothing"], calls.unknown(["bench", "fluid", "--nothing"]))


class SourceTest(unittest.TestCase):
    """The source of the site."""

    def test_links_lead_to_the_copies(self) -> None:
        for path, text, expected in (
            ("docs/index.md", "[a](how-to/security.md#tokens)", "[a](how-to/security.md#tokens)"),
            (
                "docs/how-to/install.md",
                "[a](../../CONTRIBUTING.md) ![b](../figures/page.png)",
                "[a](../project/CONTRIBUTING.md) ![b](../figures/page.png)",
            ),
            (
                "bench/README.md",
                "[the `x`](../docs/adr/README.md), [the folder](../docs/adr/)",
                "[the `x`](../adr/README.md), [the folder](../adr/README.md)",
            ),
            ("README.md", "by [two\nlines](docs/adr/README.md), [a\nfile](malob)", "by [two\nlines](../adr/README.md), a\nfile"),
            ("README.md", "[a](malob), [`b`](scripts/lab/near_and_far.py)", "a, `b`"),
            ("README.md", "`[a](malob)` [b](#here) [c](https://x/y.md)", "`[a](malob)` [b](#here) [c](https://x/y.md)"),
            ("README.md", "```sh\n[a](malob)\n```", "```sh\n[a](malob)\n```"),
        ):
            with self.subTest(path=path, text=text):
                self.assertEqual(expected, "\n".join(source.followed(path, text)))

    def test_generated_pages_are_in_the_menu(self) -> None:
        self.assertLessEqual(set(source.GENERATORS), {entry.page for entry in menu.everything()})


class LinksTest(unittest.TestCase):
    def test_links_in_code_are_none(self) -> None:
        text = "[a](b.md) `[c](d.md)` ![e](f.svg)\n```text\n[g](h.md)\n```\n"
        self.assertEqual(["b.md", "f.svg"], list(pages.links(text)))

    def test_headings_are_found_as_github_does(self) -> None:
        text = "# What it costs: a lot\n## `lab up`, again\n## Again\n## Again\n```sh\n# no heading\n```\n"
        self.assertEqual({"what-it-costs-a-lot", "lab-up-again", "again", "again-1"}, pages.anchors(text))


def _texts() -> list[tuple[Path, str]]:
    return [(page, page.read_text(encoding="utf-8")) for page in pages.pages()]


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _wrong(page: Path, text: str, link: str) -> str:
    """The error of a link; empty if it has none."""
    path, _, anchor = link.partition("#")
    target = (page.parent / unquote(path)).resolve() if path else page
    if not target.exists():
        return f"{target} is not there"
    if anchor and target.suffix == ".md" and anchor not in pages.anchors(target.read_text(encoding="utf-8")):
        return f"{target.name} has no heading '{anchor}'"
    return ""
