"""Command line of the doctor. Ends with 3 if the demo could not run."""

from __future__ import annotations

import dataclasses
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from malob.cli.arguments import Parser
from malob.cli.table import render, show
from malob.errors import MissingError
from malob.system import namespaces, ovs
from malob.system.place import ROOT
from malob.system.ports import port_is_free
from malob.system.processes import find_program, succeeds

JAVA_AT_LEAST = 17


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    good: whether all is well. demo: whether the demo cannot run without it. package: what the launcher
    installs by itself when a command needs it; empty if that would not help. used_for, remedy: for the user.
    """

    name: str
    good: bool
    found: str
    used_for: str
    remedy: str
    demo: bool
    package: str = ""


def all_findings() -> list[Finding]:
    return [
        _java(),
        _program("mvn", "Maven", "building the controller", "maven", not _built()),
        _program("ip", "iproute2", "network namespaces", "iproute2", True),
        _program("ethtool", "ethtool", "switching off checksum offload", "ethtool", True),
        _program("nft", "nftables", "end hosts with several uplinks", "nftables", False),
        _program("ping", "ping", "reachability checks", "iputils-ping", True),
        _program("curl", "curl", "asking the controller by hand", "curl", True),
        _program("ab", "ab", "system tests", "apache2-utils", False),
        _program("iperf3", "iperf3", "system tests, link agents", "iperf3", False),
        _program("etcd", "etcd", "several controllers (./malob cluster), system tests", "etcd-server", False),
        _program("cc", "C compiler", "building the link emulator, where the kernel has no netem", "gcc", False),
        _root(),
        _namespaces(),
        _open_vswitch(),
        _datapath(),
        _netem(),
        _port(6653, "OpenFlow, where switches connect", True),
        _port(8080, "the REST interface", True),
        _port(9876, "reports of servers and links", False),
        _mptcp(),
        _path_manager(),
        _program("mptcpize", "mptcpize", "MPTCP for programs that do not ask for it themselves", "mptcpize", False),
        _vlans(),
    ]


def _built() -> bool:
    return (ROOT / "target" / "malob.jar").exists()


def _java() -> Finding:
    program = _java_program()
    version, good = "not found", False
    if program:
        match = re.search(r'version "((\d+)[^"]*)"', _output([program, "-version"]))
        version = f"{match[1]} ({program})" if match else f"{program}: version unknown"
        good = match is not None and int(match[2]) >= JAVA_AT_LEAST
    remedy = f"apt-get install openjdk-17-jdk-headless, or set JAVA_HOME to a JDK {JAVA_AT_LEAST} or later"
    return Finding("Java", good, version, "the controller", remedy, True, "openjdk-17-jdk-headless")


def _java_program() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if home and Path(home, "bin", "java").exists():
        return str(Path(home, "bin", "java"))
    return find_program("java")


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _program(program: str, name: str, used_for: str, package: str, demo: bool) -> Finding:
    path = find_program(program)
    return Finding(name, path is not None, path or "not found", used_for, f"apt-get install {package}", demo, package)


def _root() -> Finding:
    good, remedy = os.geteuid() == 0, "use sudo; './malob run' and './malob test --unit' work without"
    return Finding("root", good, "yes" if good else f"no, user id {os.geteuid()}", "demo, lab, system tests", remedy, True)


def _namespaces() -> Finding:
    used_for, remedy = "hosts of the emulated network", "a kernel with CONFIG_NET_NS, and the right to use it"
    if os.geteuid() != 0:
        good, yes, no = Path("/proc/self/ns/net").exists(), "the kernel has them", "not in this kernel"
    else:
        good, yes, no = succeeds(["unshare", "--net", "true"]), "can be made", "cannot be made"
    return Finding("network namespaces", good, yes if good else no, used_for, remedy, True)


def _open_vswitch() -> Finding:
    used_for, remedy = "switches of the emulated network", "apt-get install openvswitch-switch"
    if not find_program("ovs-vsctl") or not find_program("ovs-vswitchd"):
        return Finding("Open vSwitch", False, "not found", used_for, remedy, True, "openvswitch-switch")
    version = re.search(r"\d+\.\d+(\.\d+)?", _output(["ovs-vsctl", "--version"]))
    number = version.group(0) if version else "version unknown"
    state = "running" if ovs.switch_daemon_runs() else "not running; the lab starts it"
    return Finding("Open vSwitch", True, f"{number}, {state}", used_for, remedy, True, "openvswitch-switch")


def _datapath() -> Finding:
    kernel = find_program("ovs-dpctl") is not None and ovs.kernel_datapath()
    found = "kernel module" if kernel else "user space (no kernel module here: slower, and enough)"
    return Finding("datapath", True, found, "how fast switches are", "a kernel with the openvswitch module", False)


def _port(number: int, used_for: str, demo: bool) -> Finding:
    free = port_is_free(number)
    return Finding(f"port {number}", free, "free" if free else "in use", used_for, "end that program, or choose another port", demo)


def _netem() -> Finding:
    return _of_kernel("netem", namespaces.netem, "our own emulator is used: slower, and enough", "links with rates and delays")


def _vlans() -> Finding:
    return _of_kernel("8021q", namespaces.vlan_devices, "switches tag for their hosts, as for all others", "emulated hosts that tag their frames")


def _of_kernel(name: str, has_it: Callable[[], bool], without: str, used_for: str) -> Finding:
    found = "in the kernel"
    if os.geteuid() != 0:
        found = "needs root to check"
    elif not has_it():
        found = f"not in this kernel ({without})"
    return Finding(name, True, found, used_for, "", False)


def _path_manager() -> Finding:
    good, remedy = succeeds(["ip", "mptcp", "limits"]), "a kernel with MPTCP, and iproute2 from 5.8 on"
    return Finding("ip mptcp", good, "answers" if good else "does not answer", "sub-flows from more than one address", remedy, False)


def _mptcp() -> Finding:
    try:
        enabled = Path("/proc/sys/net/mptcp/enabled").read_text().strip() == "1"
        found = "enabled" if enabled else "disabled"
        remedy = "sysctl net.mptcp.enabled=1"
    except OSError:
        enabled, found = False, f"not in this kernel ({platform.release()})"
        remedy = "a kernel from 5.6 on with CONFIG_MPTCP"
    return Finding("MPTCP", enabled, found, "sub-flows over many paths", remedy, False)


def parser() -> Parser:
    made = Parser(prog="malob doctor", description="Checks whether this machine has the programs and libraries that MALOB needs.")
    made.add_argument("--json", action="store_true", help="print one JSON document")
    return made


def main() -> int:
    options = parser().parse_args()
    findings = all_findings()
    able = not obstacles(findings)
    document = {"demo_can_run": able, "checks": [dataclasses.asdict(finding) for finding in findings]}
    show(document, options.json, lambda: report(findings))
    return 0 if able else MissingError.exit_code


def obstacles(findings: list[Finding]) -> list[Finding]:
    """The findings that keep the demo from running."""
    return [finding for finding in findings if finding.demo and not finding.good]


def report(findings: list[Finding]) -> list[str]:
    """The table, how to install missing programs, and the verdict."""
    rows = [["" if finding.good else ("!!" if finding.demo else "--"), finding.name, finding.found, finding.used_for] for finding in findings]
    lines = render(["", "what", "found", "needed for"], rows)
    remedies = [f"  {finding.name}: {finding.remedy}" for finding in findings if not finding.good]
    if remedies:
        lines += ["", "what would help:", *remedies]
    missing = obstacles(findings)
    if not missing:
        verdict = "the demo can run"
    else:
        verdict = f"the demo cannot run as things are: {', '.join(finding.name for finding in missing)}"
        if all(finding.package for finding in missing):
            verdict += "; 'sudo ./malob demo' installs that where there is apt-get"
    return [*lines, "", verdict]
