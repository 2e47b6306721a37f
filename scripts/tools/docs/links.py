"""Changes the links of pages that are read elsewhere than in the checkout: on the site, in an archive, in a package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

#: A link, or code, in which nothing is a link.
_LINK = re.compile(r"`[^`]*`|(?P<bang>!?)\[(?P<words>(?:[^\]\[]|\[[^\]]*\])*)\]\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r" *(`{3,}|~{3,})")


def changed(path: str, text: str, target_of: Callable[[str], str | None]) -> Iterator[str]:
    """The lines of a page, with new targets of its relative links.

    path: of the page in the checkout. target_of: the new target of a link to this path of the checkout; None if readers do not have it:
    then only the words of the link stay.
    """
    fence = ""
    paragraph: list[str] = []
    for line in text.splitlines():
        opening = _FENCE.match(line)
        if not fence and opening is None and line.strip():
            paragraph.append(line)
            continue
        yield from _linked(path, paragraph, target_of)
        paragraph = []
        if opening is not None and (not fence or line.strip() == fence):
            fence = "" if fence else opening[1]
        yield line
    yield from _linked(path, paragraph, target_of)


def _linked(path: str, paragraph: list[str], target_of: Callable[[str], str | None]) -> list[str]:
    """A whole paragraph: the text of a link may begin on one line and end on the next."""
    return _LINK.sub(lambda link: _link(path, link, target_of), "\n".join(paragraph)).splitlines()


def _link(path: str, link: re.Match[str], target_of: Callable[[str], str | None]) -> str:
    target = link["target"]
    if not target or ":" in target:
        return link[0]
    new = target_of(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
    if new is None:
        return link["words"]
    return f"{link['bang']}[{link['words']}]({new}{link['anchor'] or ''})"
