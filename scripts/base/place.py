"""Where things are."""

from __future__ import annotations

from pathlib import Path

#: The checkout that these scripts belong to.
ROOT = Path(__file__).resolve().parents[2]

#: What running labs keep: state, logs, sockets. Gone after a reboot, as are the networks themselves.
RUN_DIRECTORY = Path("/run/malob")
