"""The sites of a topology's switches on a testbed, and the sizes of its machines: geni/sites.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.system.place import ROOT

FILE = ROOT / "geni" / "sites.json"


@dataclass(frozen=True)
class Machine:
    """cores: virtual processors."""

    cores: int
    ram_mb: int


@dataclass(frozen=True)
class Sites:
    """name: the topology's. racks: the component manager of each switch's site, a URN; controller: the switch at whose site it runs.

    machines: by role, and by name for exceptions.
    """

    name: str
    racks: Mapping[str, str]
    controller: str
    machines: Mapping[str, Machine]

    def machine(self, name: str, role: str) -> Machine:
        return self.machines.get(f"{role} {name}") or self.machines[role]

    def at_one(self, rack: str) -> Sites:
        """The same with all switches at one site."""
        return Sites(self.name, dict.fromkeys(self.racks, rack), self.controller, self.machines)


def load(topology: str, file: Path = FILE) -> Sites:
    """The sites of a topology, by its name. Raises UsageError, which names the error."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file} is not JSON: {error}") from None
    return parse(topology, document, str(file))


def parse(topology: str, document: Any, where: str) -> Sites:
    """Checks the sites of one topology. Raises UsageError with the wrong field."""
    placed = document.get("topologies", {}).get(topology) if isinstance(document, dict) else None
    if not isinstance(placed, dict):
        raise UsageError(f"{where}: topologies.{topology}: no sites for that topology")
    racks = placed.get("racks")
    if not isinstance(racks, dict) or not all(isinstance(urn, str) and urn.startswith("urn:publicid:IDN+") for urn in racks.values()):
        raise UsageError(f"{where}: topologies.{topology}.racks: expected a URN, urn:publicid:IDN+…, for each switch")
    if placed.get("controller") not in racks:
        raise UsageError(f"{where}: topologies.{topology}.controller: expected one of {', '.join(racks)}")
    machines = {name: _machine(f"{where}: machines.{name}", value) for name, value in document.get("machines", {}).items()}
    missing = [role for role in ("controller", "switch", "client", "server") if role not in machines]
    if missing:
        raise UsageError(f"{where}: machines: '{missing[0]}' is missing")
    return Sites(topology, dict(racks), placed["controller"], machines)


def _machine(at: str, value: Any) -> Machine:
    fields = value if isinstance(value, dict) else {}
    sizes = [fields.get(name) for name in ("cores", "ram_mb")]
    if len(fields) != 2 or not all(type(size) is int and size > 0 for size in sizes):
        raise UsageError(f"{at}: expected cores and ram_mb, whole numbers from 1")
    return Machine(fields["cores"], fields["ram_mb"])
