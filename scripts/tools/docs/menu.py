"""The menu of the documentation site: its pages in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from malob.system.place import ROOT

DOCS = ROOT / "docs"


class Entry(NamedTuple):
    """A page, by its path in the checkout, and the pages below it in the menu.

    title: in the menu, if it differs from the page's own.
    """

    page: str
    title: str = ""
    below: tuple[Entry, ...] = ()


HOME = "docs/index.md"

_TUTORIALS = (Entry("docs/tutorials/quickstart.md"), Entry("docs/tutorials/nearer-server.md"))

_HOW_TO = (
    Entry("docs/how-to/install.md"),
    Entry("docs/how-to/existing-network.md"),
    Entry("docs/how-to/operations.md"),
    Entry("docs/how-to/openstack-clients.md"),
    Entry("docs/how-to/cluster.md"),
    Entry("docs/how-to/security.md"),
    Entry("docs/how-to/page.md"),
    Entry("docs/how-to/troubleshooting.md"),
    Entry("scripts/agents/README.md"),
    Entry("docs/how-to/mptcp.md"),
    Entry("docs/how-to/endhost.md"),
    Entry("docs/how-to/emulation.md"),
    Entry("docs/how-to/floodlight.md"),
    Entry("docs/how-to/testbeds.md", below=(Entry("geni/README.md"),)),
)

_REFERENCE = (
    Entry("docs/reference/algorithms.md"),
    Entry("docs/reference/cli.md"),
    Entry("docs/reference/rest-api.md"),
    Entry("docs/reference/rest-reference.md"),
    Entry("docs/reference/settings.md"),
    Entry("docs/reference/metrics.md"),
    Entry("docs/reference/reliability.md"),
)

_EXPLANATION = (
    Entry(
        "docs/architecture.md",
        below=(
            Entry("docs/architecture/code-map.md"),
            Entry("docs/architecture/data-plane.md"),
            Entry("docs/architecture/algorithms.md"),
            Entry("docs/architecture/end-host.md"),
        ),
    ),
    Entry("docs/explanation/mptcp.md"),
    Entry("docs/explanation/comparison.md"),
    Entry("docs/explanation/server-selection.md"),
    Entry("docs/explanation/scale.md"),
    Entry("docs/references.md"),
    Entry(
        "docs/explanation/experiments/README.md",
        below=(
            Entry("docs/explanation/experiments/method.md"),
            Entry("docs/explanation/experiments/thesis.md"),
            Entry("docs/explanation/experiments/mptcp.md"),
            Entry("docs/explanation/experiments/endhost.md"),
            Entry("docs/explanation/experiments/accuracy.md"),
        ),
    ),
    Entry("bench/README.md"),
    Entry("simulations/README.md"),
    Entry("docs/adr/README.md", below=tuple(Entry(page.relative_to(ROOT).as_posix()) for page in sorted((DOCS / "adr").glob("[0-9]*.md")))),
)

_PROJECT = (
    Entry("README.md", title="README"),
    Entry("CONTRIBUTING.md"),
    Entry("CHANGELOG.md"),
)

SECTIONS = {"Tutorials": _TUTORIALS, "How-to guides": _HOW_TO, "Reference": _REFERENCE, "Explanation": _EXPLANATION, "Project": _PROJECT}


def everything() -> Iterator[Entry]:
    """All entries, at all depths."""

    def walk(entries: tuple[Entry, ...]) -> Iterator[Entry]:
        for entry in entries:
            yield entry
            yield from walk(entry.below)

    for entries in SECTIONS.values():
        yield from walk(entries)
