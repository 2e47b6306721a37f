"""Policy rules of the kernel, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from malob.endhost import network
from malob.endhost.network import OURS
from malob.system.processes import run

#: The rule that leads to the main table has this one in every kernel.
MAIN_PRIORITY = 32766


@dataclass(frozen=True)
class Rule:
    """One policy rule of ours. It carries our mark (protocol), so that a rule of others is never taken for it.

    source: the packets' address; None for all. local: only what this host sends itself. specific: the table's default
    routes do not count.
    """

    version: int
    priority: int
    table: int
    source: str | None = None
    local: bool = False
    specific: bool = False

    @staticmethod
    def of(version: int, told: Mapping[str, Any]) -> Rule:
        """From the output of `ip -N -json rule` for a rule of add()."""
        return Rule(
            version,
            told["priority"],
            int(told["table"]),
            None if told["src"] == "all" else told["src"],
            told.get("iif") == "lo",
            "suppress_prefixlen" in told,
        )

    def add(self) -> None:
        self._change("add")

    def remove(self) -> None:
        self._change("del")

    def _change(self, verb: str) -> None:
        selectors = ["from", self.source or "all"] + (["iif", "lo"] if self.local else [])
        suppress = ["suppress_prefixlength", "0"] if self.specific else []
        run(
            [
                "ip",
                f"-{self.version}",
                "rule",
                verb,
                "priority",
                str(self.priority),
                *selectors,
                "lookup",
                str(self.table),
                *suppress,
                "protocol",
                str(OURS),
            ]
        )


def ours(version: int) -> list[Rule]:
    """MALOB's rules, in their order."""
    return [Rule.of(version, told) for told in network.rules(version) if is_ours(told)]


def is_ours(told: Mapping[str, Any]) -> bool:
    """told: one rule, as `ip -N -json rule` lists it."""
    return told.get("protocol") == str(OURS)
