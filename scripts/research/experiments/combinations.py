"""The compared algorithms: Table 4.1 of the thesis, and MALOB's own."""

from __future__ import annotations

#: server rule + path rule
SEPARATE = tuple(f"{server}+{path}" for server in ("RR", "LC", "CPU") for path in ("SPH", "SPL", "HTP"))
JOINT = ("SL-PS", "HT-PS")
PAPER = (*SEPARATE, *JOINT)

#: MALOB's own, which are not in the thesis.
OWN = ("PCT", "PREQUAL")
ALL = (*PAPER, *OWN)
