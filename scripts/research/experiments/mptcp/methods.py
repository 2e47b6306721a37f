"""The methods that `lab run mptcp` compares: how sub-flows get their paths. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Method:
    """name: in metrics. mptcp: whether connections have sub-flows. plan: the request to the controller; None for ordinary
    forwarding. by_load: it gets the sessions of each run, so that each run has its own plan.
    """

    name: str
    mptcp: bool
    plan: dict[str, Any] | None
    by_load: bool = False

    def request(self, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """The request to the controller for sessions between these clients and servers; not for ordinary forwarding."""
        assert self.plan is not None
        if not self.by_load:
            return self.plan
        return {**self.plan, "count": "travelled", "traffic": [{"from": client, "to": server} for client, server in pairs]}


#: The max number of links of a sub-flow beyond those of the shortest path, for Hamiltonian paths that MALOB chooses.
MAX_DETOUR = 2


def _planned(name: str, vlan: bool) -> Method:
    return Method(name, True, {"method": "balanced", "vlan": vlan, "max_detour": MAX_DETOUR})


def _as_in_the_paper(name: str, vlan: bool) -> Method:
    return Method(name, True, {"method": "paper", "vlan": vlan})


#: The paper's four methods, with limited detours; its own paths for both of its proposals; and shorter paths.
METHODS = (
    Method("TCP", False, None),
    Method("MPTCP", True, None),
    _planned("NVS", vlan=False),
    _planned("VS", vlan=True),
    _as_in_the_paper("NVS-paper", vlan=False),
    _as_in_the_paper("VS-paper", vlan=True),
    Method("disjoint", True, {"method": "disjoint", "vlan": True}, by_load=True),
)

#: The method whose addresses hosts have without a plan: the same number of sub-flows, without separate paths.
ADDRESSES_OF = "VS"

#: Section IV: the gain over TCP, in percent, averaged over its three topologies. MPTCP at LOW load is not given.
PAPER_GAINS = {
    "VS": {"LOW": 40.0, "MEDIUM": 55.0, "HIGH": 25.0},
    "NVS": {"LOW": 32.0, "MEDIUM": 40.0, "HIGH": 19.0},
    "MPTCP": {"MEDIUM": 18.0, "HIGH": 10.0},
}


def leading_to(plan: Mapping[str, Any], addresses: Sequence[str], switch: str) -> list[str]:
    """The addresses whose sub-flows reach the hosts of a switch. switch: as the plan names it."""
    branches = {path["address"]: path["branches"] for path in plan["paths"]}
    return [address for address in addresses if any(switch in branch for branch in branches.get(address, ()))]


def named(name: str) -> Method:
    return next(method for method in METHODS if method.name == name)
