"""The single checks. They change nothing, except that the kernel may load a module."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

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
    version = "not found"
    good = False
    if program:
        words = _output([program, "-version"])
        match = re.search(r'version "(\d+)[^"]*"', words)
        version = f"{match.group(0)[9:-1]} ({program})" if match else f"{program}: version unknown"
        good = match is not None and int(match.group(1)) >= JAVA_AT_LEAST
    return Finding(
        "Java",
        good,
        version,
        "the controller",
        f"apt-get install openjdk-17-jdk-headless, or set JAVA_HOME to a JDK {JAVA_AT_LEAST} or later",
        True,
        "openjdk-17-jdk-headless",
    )


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
    good = os.geteuid() == 0
    return Finding(
        "root",
        good,
        "yes" if good else f"no, user id {os.geteuid()}",
        "demo, lab, system tests",
        "use sudo; './malob run' and './malob test --unit' work without",
        True,
    )


def _namespaces() -> Finding:
    used_for, remedy = "hosts of the emulated network", "a kernel with CONFIG_NET_NS, and the right to use it"
    if os.geteuid() != 0:
        good = Path("/proc/self/ns/net").exists()
        return Finding("network namespaces", good, "the kernel has them" if good else "not in this kernel", used_for, remedy, True)
    good = succeeds(["unshare", "--net", "true"])
    return Finding("network namespaces", good, "can be made" if good else "cannot be made", used_for, remedy, True)


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


def _netem() -> Finding:
    if os.geteuid() != 0:
        return Finding("netem", True, "needs root to check", "links with rates and delays", "", False)
    found = "in the kernel" if namespaces.netem() else "not in this kernel (our own emulator is used: slower, and enough)"
    return Finding("netem", True, found, "links with rates and delays", "", False)


def _port(number: int, used_for: str, demo: bool) -> Finding:
    free = port_is_free(number)
    return Finding(f"port {number}", free, "free" if free else "in use", used_for, "end that program, or choose another port", demo)


def _vlans() -> Finding:
    if os.geteuid() != 0:
        return Finding("8021q", True, "needs root to check", "emulated hosts that tag their frames", "", False)
    found = "in the kernel" if namespaces.vlan_devices() else "not in this kernel (switches tag for their hosts, as for all others)"
    return Finding("8021q", True, found, "emulated hosts that tag their frames", "", False)


def _path_manager() -> Finding:
    good = succeeds(["ip", "mptcp", "limits"])
    return Finding(
        "ip mptcp",
        good,
        "answers" if good else "does not answer",
        "sub-flows from more than one address",
        "a kernel with MPTCP, and iproute2 from 5.8 on",
        False,
    )


def _mptcp() -> Finding:
    try:
        enabled = Path("/proc/sys/net/mptcp/enabled").read_text().strip() == "1"
        found = "enabled" if enabled else "disabled"
        remedy = "sysctl net.mptcp.enabled=1"
    except OSError:
        enabled, found = False, f"not in this kernel ({platform.release()})"
        remedy = "a kernel from 5.6 on with CONFIG_MPTCP"
    return Finding("MPTCP", enabled, found, "sub-flows over many paths", remedy, False)
