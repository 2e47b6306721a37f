"""Where things are."""

from __future__ import annotations

import os
from pathlib import Path

#: The checkout, or the release, that these scripts belong to.
ROOT = Path(__file__).resolve().parents[3]

#: Whether that is the .deb package's: nothing is written there (scripts/malob/launcher/installation.sh has the same rules).
PACKAGED = Path("/usr/share/malob") == ROOT

#: What running labs keep: state, logs, sockets. Gone after a reboot, as are the networks themselves.
RUN_DIRECTORY = Path("/run/malob")

_OF_SERVICE = Path("/var/lib/malob/controller")


def _data() -> Path:
    if "MALOB_DATA" in os.environ:
        return Path(os.environ["MALOB_DATA"])
    if not PACKAGED:
        return ROOT / "data"
    if os.access(_OF_SERVICE, os.W_OK):
        return _OF_SERVICE
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "malob"


#: Where the controller keeps its catalog unless told.
DATA = _data()

#: For what is compiled when it is first needed.
CACHE = Path(os.environ.get("MALOB_CACHE") or ("/var/cache/malob" if PACKAGED else ROOT / "target"))

_SETTINGS = ROOT / "src" / "main" / "resources" / "floodlightdefault.properties"

#: The controller's settings as shipped.
DEFAULT_SETTINGS = _SETTINGS if _SETTINGS.exists() else ROOT / "conf" / "malob.properties"
