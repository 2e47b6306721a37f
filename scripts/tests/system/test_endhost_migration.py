"""A QUIC connection whose uplink dies: it continues over another, as after a NAT rebinding (RFC 9000, section 9.3)."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.multihomed import SERVER, UplinkLine
from malob.network.links import Direction
from malob.system.waiting import say, wait_until
from research.experiments.endhost.site import QUIC_PORT, EndhostSite, open_site
from research.experiments.frame.folder import Folder

RATE_MBPS, DELAY_MS, QUEUE_PACKETS = 10.0, 5.0, 100
LINE = UplinkLine.of(RATE_MBPS, DELAY_MS, QUEUE_PACKETS)
_LOSSY = Direction(RATE_MBPS, DELAY_MS, QUEUE_PACKETS, loss=1.0)
#: Its interfaces stay up, but no packet arrives.
DEAD = UplinkLine(_LOSSY, _LOSSY)

#: Takes 10 s on one uplink.
SIZE = 12_000_000

#: With small windows, packets of the client that the server must acknowledge are always on the way, so the client sends again.
CLIENT = [
    *("gtlsclient", "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close"),
    *("--max-stream-data-bidi-local=64K", "--max-stream-window=64K", SERVER, str(QUIC_PORT), f"https://{SERVER}:{QUIC_PORT}/{SIZE}"),
]


@pytest.mark.real_time
@pytest.mark.needs("emulator", "endhost", "bench", "quic")
class EndhostMigrationTest(unittest.TestCase):
    site: EndhostSite
    directory: Path

    @classmethod
    def setUpClass(cls) -> None:
        stack = ExitStack()
        cls.addClassCleanup(stack.close)
        cls.directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="malob-test-")))
        cls.site = stack.enter_context(open_site([LINE, LINE], "cubic", Folder(cls.directory), [SIZE]))
        cls.site.start_quic()
        cls.site.be_balanced("RR")

    def setUp(self) -> None:
        say(f"\n{type(self).__name__}: {self._testMethodName}")
        self.client_log = self.directory / "client.log"

    def logs(self) -> list[Path]:
        return [self.client_log]

    def test_transfer_goes_on_over_the_other_uplink_and_stays_there(self) -> None:
        before = [uplink["flows"]["moved"] for uplink in self.site.product.status()["uplinks"]]
        with open(self.client_log, "w") as log:
            client = subprocess.Popen(self.site.network.on_host([*CLIENT, f"--download={self.directory}"]), stdout=log, stderr=log)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        begun = [self.site.network.received_bytes(uplink) for uplink in (0, 1)]
        wait_until(lambda: self.grown(begun) is not None, "the transfer to be under way", 10)
        dead = self.grown(begun)
        assert dead is not None
        other = 1 - dead
        self.site.network.shape(dead, DEAD)
        self.addCleanup(self.site.network.restore)
        self.wait_for(other, 500_000, 8)
        self.assertEqual(1, self.moved(dead) - before[dead])

        self.site.network.restore()
        wait_until(lambda: self.site.product.status()["uplinks"][dead]["alive"], "the uplink to be alive again", 10)
        self.wait_for(other, 500_000, 5)
        self.assertEqual((1, 0), (self.moved(dead) - before[dead], self.moved(other) - before[other]))

        self.assertEqual(0, client.wait(30))
        self.assertEqual(SIZE, (self.directory / str(SIZE)).stat().st_size)
        self.assertEqual(1, self.client_log.read_text(errors="replace").count("QUIC handshake has completed"))

    def grown(self, since: list[int]) -> int | None:
        """The uplink that has carried most of a megabyte."""
        return next((at for at in (0, 1) if self.site.network.received_bytes(at) - since[at] > 900_000), None)

    def wait_for(self, uplink: int, size: int, seconds: float) -> None:
        """Until the uplink has carried that many bytes more."""
        now = self.site.network.received_bytes(uplink)

        def carried() -> int:
            return self.site.network.received_bytes(uplink) - now

        wait_until(lambda: carried() >= size, f"{size} bytes over uplink {uplink}", seconds, detail=lambda: f"{carried()} bytes")

    def moved(self, uplink: int) -> int:
        count: int = self.site.product.status()["uplinks"][uplink]["flows"]["moved"]
        return count
