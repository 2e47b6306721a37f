"""XML names of RSpecs, with their namespaces, as xml.etree writes them."""

from __future__ import annotations

RSPEC = "http://www.geni.net/resources/rspec/3"
#: Extensions of Emulab, which InstaGENI racks and CloudLab run.
EMULAB = "http://www.protogeni.net/resources/rspec/ext/emulab/1"
#: The role of a machine, for MALOB's set-up. Aggregates return unknown elements unchanged, as RSpec v3 requires.
MALOB = "urn:x-malob:rspec:1"
XSI = "http://www.w3.org/2001/XMLSchema-instance"

PREFIXES = {"": RSPEC, "emulab": EMULAB, "malob": MALOB, "xsi": XSI}


def rspec(name: str) -> str:
    return f"{{{RSPEC}}}{name}"


def emulab(name: str) -> str:
    return f"{{{EMULAB}}}{name}"


def malob(name: str) -> str:
    return f"{{{MALOB}}}{name}"
