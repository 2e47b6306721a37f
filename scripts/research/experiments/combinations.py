"""The compared algorithms: Table 4.1 of the thesis, and MALOB's own."""

from __future__ import annotations

from collections.abc import Sequence

from malob.errors import UsageError

#: server rule + path rule
SEPARATE = tuple(f"{server}+{path}" for server in ("RR", "LC", "CPU") for path in ("SPH", "SPL", "HTP"))
JOINT = ("SL-PS", "HT-PS")
PAPER = (*SEPARATE, *JOINT)

#: MALOB's own, which are not in the thesis.
OWN = ("PCT",)
ALL = (*PAPER, *OWN)


def chosen(text: str | None, available: Sequence[str]) -> list[str]:
    """The combinations that --only selects, in the order of the table. Raises UsageError."""
    if text is None:
        return list(available)
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in available:
            raise UsageError(f"--only: '{name}' is not one of {', '.join(available)}")
    return [name for name in available if name in names]
