"""The lab's topologies in Mininet."""

from __future__ import annotations

import json
import subprocess
import tempfile
import unittest
from functools import partial
from pathlib import Path
from typing import Callable

import pytest

from lab import balancing
from lab.controller import Controller
from malob.network import generators, topology
from malob.system import ovs
from malob.system.place import ROOT
from malob.system.ports import free_port
from malob.system.processes import find_program, run
from malob.system.waiting import wait_until

_FILE = ROOT / "scripts" / "lab" / "malob_mn.py"

#: Prints what each topology consists of.
_LIST = """
import json, runpy, sys
topos = runpy.run_path(sys.argv[1])["topos"]
rules = {"tree": (2, 2), "fat-tree": (4,)}
for name, make in topos.items():
    topo = make() if name in sys.argv[2:] else make(*rules.get(name, (12,)), rate=5)
    ends = [end for _, _, link in topo.links(withInfo=True) for end in (link.get("intfName1", ""), link.get("intfName2", ""))]
    print(json.dumps([name, len(topo.switches()), len(topo.hosts()), len(topo.links()), max(map(len, ends))]))
"""


@pytest.mark.real_time
class MininetTest(unittest.TestCase):
    def test_all_topologies_are_whole_with_names_that_the_kernel_takes(self) -> None:
        known = topology.known_names()
        lines = run(["/usr/bin/python3", "-c", _LIST, str(_FILE), *known]).splitlines()
        found = {name: rest for name, *rest in map(json.loads, lines)}
        for name in known:
            network = topology.load(name)
            with self.subTest(topology=name):
                self.assertEqual([len(network.switches), len(network.hosts), len(network.links) + len(network.hosts)], found[name][:3])
        self.assertEqual([12, 12, 24], found["ring"][:3])
        self.assertEqual(len(known) + len(generators.FORMS), len(found))
        self.assertLess(max(longest for *_, longest in found.values()), 16)

    def test_request_through_a_vip_on_the_wide_area_network(self) -> None:
        """as docs/how-to/install.md says it: mn --custom malob_mn.py --topo geni-wan --controller remote; by IPv4 and by IPv6"""
        directory = tempfile.TemporaryDirectory(prefix="malob-test-")
        self.addCleanup(directory.cleanup)
        self.words = Path(directory.name, "mn.log")
        ovs.ensure_running()
        self.addCleanup(ovs.stop_ours)
        controller = Controller(Path(directory.name), free_port(), free_port())
        self.addCleanup(controller.stop)
        # first, because it takes as long as the controller: its switches try again until that is there
        mininet = self._start(controller.openflow_port)
        controller.start()
        network = topology.load("geni-wan")
        rest = controller.rest
        self._wait(lambda: controller.sees(network), "switches and links")
        Path(directory.name, "index.html").write_text("I am a page")
        self._type(mininet, f"server_2 python3 -m http.server 80 -b :: -d {directory.name} > /dev/null 2>&1 &")
        for pages, (address, url) in enumerate((("10.0.0.100", "10.0.0.100"), ("fd00:a00::64", "[fd00:a00::64]"))):
            virtual = balancing.set_up(rest, address, 80, [network.hosts["server-2"]], key=str(pages + 1))
            self._wait(partial(balancing.all_located, rest, virtual), "the server to be found")
            self._type(mininet, f"client_1 curl -sg --max-time 10 --retry 5 --retry-connrefused http://{url}/")
            self._wait(partial(self._has_more_pages, pages), f"the page from {address}")
        self._type(mininet, "exit")
        self.assertEqual(0, mininet.wait(60), self._said())

    def _start(self, port: int) -> subprocess.Popen[str]:
        with open(self.words, "w", encoding="utf-8") as log:
            # the distribution's Python: Mininet is a package of it
            process = subprocess.Popen(
                [
                    "/usr/bin/python3",
                    find_program("mn") or "mn",
                    "--custom",
                    str(_FILE),
                    "--topo",
                    "geni-wan",
                    "--controller",
                    f"remote,ip=127.0.0.1,port={port}",
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
            )
        self.addCleanup(self._end, process)
        return process

    def _end(self, mininet: subprocess.Popen[str]) -> None:
        """When it has nothing to read any more, Mininet removes what it made, and ends."""
        assert mininet.stdin is not None
        mininet.stdin.close()
        try:
            mininet.wait(60)
        except subprocess.TimeoutExpired:
            mininet.kill()
            mininet.wait()

    def _type(self, mininet: subprocess.Popen[str], line: str) -> None:
        assert mininet.stdin is not None
        mininet.stdin.write(line + "\n")
        mininet.stdin.flush()

    def _has_more_pages(self, count: int) -> bool:
        return self._said().count("I am a page") > count

    def _said(self) -> str:
        return self.words.read_text(encoding="utf-8", errors="replace")

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        wait_until(condition, what, 60, detail=lambda: f"Mininet says: {self._said()[-2000:]}")
