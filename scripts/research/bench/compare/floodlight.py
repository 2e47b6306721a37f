"""The original Floodlight instead of MALOB's controller, with all its modules."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

from lab.controller import Controller
from malob.errors import UsageError

_SETTINGS = "floodlightdefault.properties"
#: The default modules of Floodlight that open additional ports or are for several controllers.
_LEFT_OUT = ("jython.JythonDebugInterface", "hasupport.HAController")


class Floodlight(Controller):
    """Floodlight's jar, which includes all libraries."""

    def __init__(self, jar: Path, directory: Path, openflow_port: int, http_port: int) -> None:
        super().__init__(directory, openflow_port, http_port)
        self._jar, self._directory = jar.resolve(), directory

    def _command(self) -> list[str]:
        file = self._directory / "floodlight.properties"
        ports = {
            "core.internal.OFSwitchManager.openFlowPort": self.openflow_port,
            "core.internal.FloodlightProvider.openFlowPort": self.openflow_port,
            "restserver.RestApiServer.httpPort": self.http_port,
        }
        defaults = settings(self._jar)
        # the last line of a setting counts
        lines = [f"net.floodlightcontroller.{name}={port}" for name, port in ports.items()]
        file.write_text("\n".join([defaults, f"floodlight.modules={','.join(modules(defaults))}", *lines]) + "\n")
        java = os.environ.get("MALOB_JAVA", "java")
        # it writes its database to the current directory
        return ["env", "-C", str(self._directory), java, "-cp", str(self._jar), "net.floodlightcontroller.core.Main", "-cf", str(file)]


def settings(jar: Path) -> str:
    """Floodlight's default settings. Raises UsageError if the file is not a jar of Floodlight."""
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.read(_SETTINGS).decode()
    except OSError as error:
        raise UsageError(f"--floodlight: cannot read {jar}: {error.strerror}") from None
    except (KeyError, zipfile.BadZipFile):
        raise UsageError(f"--floodlight: {jar} is not a jar of Floodlight: it has no {_SETTINGS}") from None


def modules(text: str) -> list[str]:
    """The modules that the settings load, except the excluded ones."""
    value = re.search(r"^floodlight\.modules\s*=\s*((?:.*\\\n)*.*)", text, re.MULTILINE)
    names = re.findall(r"[\w.]+", value.group(1)) if value else []
    return [name for name in names if not name.endswith(_LEFT_OUT)]
