"""The command line of an agent, and the loop that measures and reports until SIGTERM."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Protocol

from reporting import configuration, delivery, message
from reporting.configuration import AgentError, Configuration
from reporting.delivery import Delivery

_FIRST_AFTER_S = 1.0


class Probe(Protocol):
    """Measures."""

    def measure(self, stop: threading.Event) -> Mapping[str, Any]:
        """The values of a report: {"server": ...} or {"links": ...}. Returns soon after stop is set.

        Raises AgentError if there is nothing to report this time.
        """


def run(kind: str, description: str, own_fields: tuple[str, ...], make_probe: Callable[[Configuration], Probe]) -> int:
    """The main function of an agent; returns its exit code: 0, 1 (--once has failed), 2 (wrong configuration)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--config", type=Path, default=Path(f"/etc/malob/{kind}-agent.json"), metavar="FILE", help="the configuration (default %(default)s)"
    )
    parser.add_argument("--once", action="store_true", help="send one report and end; exit code 1 if that failed")
    parser.add_argument("--dry-run", action="store_true", help="print the reports instead of sending them")
    options = parser.parse_args()
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    try:
        settings = configuration.load(options.config, kind, own_fields)
        probe = make_probe(settings)
        way = delivery.ScreenDelivery() if options.dry_run else delivery.of(settings)
    except AgentError as error:
        say(str(error))
        return 2
    try:
        reporter = Reporter(settings, probe, way, stop)
        return reporter.once() if options.once else reporter.forever()
    finally:
        way.close()


class Reporter:
    """Measures and reports. After a failure it continues with the next report, and logs the failure once."""

    def __init__(
        self,
        settings: Configuration,
        probe: Probe,
        way: Delivery,
        stop: threading.Event,
        say: Callable[[str], None] = lambda text: say(text),
        stamps: message.Stamps | None = None,
    ) -> None:
        self._settings = settings
        self._probe = probe
        self._way = way
        self._stop = stop
        self._say = say
        self._stamps = stamps or message.Stamps()
        self._trouble = ""

    def once(self) -> int:
        self._stop.wait(_FIRST_AFTER_S)
        return 0 if self._stop.is_set() or self.report() else 1

    def forever(self) -> int:
        """One report per interval, by a monotonic clock. Intervals that were missed are skipped."""
        due = time.monotonic() + min(_FIRST_AFTER_S, self._settings.interval_s)
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            self.report()
            due = max(due + self._settings.interval_s, time.monotonic())
        return 0

    def report(self) -> bool:
        """One report; False if it was not sent."""
        try:
            content = self._probe.measure(self._stop)
            if self._stop.is_set():
                return False
            report = message.build(self._settings.id, self._settings.key, self._stamps.next(), content)
            if len(report) > message.MAX_BYTES:
                raise AgentError(f"the report has {len(report)} bytes, more than {message.MAX_BYTES}")
            self._way.send(report)
        except AgentError as error:
            if str(error) != self._trouble:
                self._say(str(error))
            self._trouble = str(error)
            return False
        if self._trouble:
            self._say("the controller receives reports again")
        self._trouble = ""
        return True


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
