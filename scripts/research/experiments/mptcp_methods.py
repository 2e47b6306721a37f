"""The methods that `lab run mptcp` compares: how sub-flows get their paths. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
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


def _planned(name: str, vlan: bool, method: str = "balanced") -> Method:
    return Method(name, True, {"method": method, "paths": "hamiltonian", "vlan": vlan})


#: The paper's four methods, its choice of paths for both of its proposals, and shorter paths.
METHODS = (
    Method("TCP", False, None),
    Method("MPTCP", True, None),
    _planned("NVS", vlan=False),
    _planned("VS", vlan=True),
    _planned("NVS-paper", vlan=False, method="paper"),
    _planned("VS-paper", vlan=True, method="paper"),
    Method("disjoint", True, {"method": "balanced", "paths": "disjoint", "vlan": True}, by_load=True),
)

#: The method whose addresses hosts have without a plan: the same number of sub-flows, without separate paths.
ADDRESSES_OF = "VS"

#: Section IV: the gain over TCP, in percent, averaged over its three topologies. MPTCP at LOW load is not given.
PAPER_GAINS = {
    "VS": {"LOW": 40.0, "MEDIUM": 55.0, "HIGH": 25.0},
    "NVS": {"LOW": 32.0, "MEDIUM": 40.0, "HIGH": 19.0},
    "MPTCP": {"MEDIUM": 18.0, "HIGH": 10.0},
}


def named(name: str) -> Method:
    return next(method for method in METHODS if method.name == name)
