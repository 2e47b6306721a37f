#!/usr/bin/python3 -I
"""Reports a server's state to MALOB: CPU utilization, TCP connections by port, response time.

Needs Python 3.9 or later on Linux, and the folder `reporting` beside it. README.md describes the set-up.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # python3 -I leaves it out

from measuring import connections, processors
from measuring.response import ResponseProbe
from reporting import configuration
from reporting.configuration import AgentError, Configuration
from reporting.running import run

FIELDS = ("ports", "response", "cgroup", "cgroup_mount")


class ServerProbe:
    """Measures the machine, or the container, that it runs in."""

    def __init__(self, settings: Configuration) -> None:
        self._ports = configuration.ports(settings.own, "ports")
        self._response = ResponseProbe.of(settings.own.get("response"), settings.address)
        self._use = processors.meter(settings.own.get("cgroup", "auto"), mount=processors.mount(settings.own.get("cgroup_mount", "/sys/fs/cgroup")))

    def measure(self, stop: threading.Event) -> Mapping[str, Any]:
        state: dict[str, Any] = {}
        use = self._use.since_last()
        if use is not None:
            state["cpu"] = round(use, 4)
        if self._ports:
            try:
                state["connections"] = {str(port): count for port, count in connections.established(self._ports).items()}
            except OSError as error:
                raise AgentError(f"connections cannot be counted: {error}") from None
        # last, so that its own connection is not counted
        if self._response:
            took_ms = self._response.measure_ms()
            state["answers"] = took_ms is not None
            if took_ms is not None:
                state["response_ms"] = round(took_ms, 3)
        return {"server": state}


if __name__ == "__main__":
    sys.exit(run("server", __doc__.splitlines()[0], FIELDS, ServerProbe))
