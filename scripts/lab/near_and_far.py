"""The network of docs/tutorials/nearer-server.md: a client, a near server and a far one. For Mininet: --custom THIS --topo near-and-far.

           h1 10.0.0.1
            |
            s1
     5 ms  /  \\  20 ms
          /    \\
         s2 ---- s3
         | 10 ms |
        h2      h3
     10.0.0.2  10.0.0.3
"""

import inspect
import sys
from pathlib import Path

# Mininet runs this file with exec(), so that there is no __file__
sys.path.insert(0, str(Path(inspect.stack()[0].filename).resolve().parents[1]))

from mininet.topo import Topo

from lab.mininet_link import ShapedLink


class NearAndFar(Topo):
    """Delays are one way; rates in Mbit/s, both the same in both directions."""

    def build(self) -> None:
        for number in (1, 2, 3):
            self.addSwitch(f"s{number}")
            self.addHost(f"h{number}")
            self.addLink(f"h{number}", f"s{number}")
        self.addLink("s1", "s2", cls=ShapedLink, delay_ms=5, rate_mbps=20)
        self.addLink("s1", "s3", cls=ShapedLink, delay_ms=20, rate_mbps=80)
        self.addLink("s2", "s3", cls=ShapedLink, delay_ms=10, rate_mbps=50)


topos = {"near-and-far": NearAndFar}
