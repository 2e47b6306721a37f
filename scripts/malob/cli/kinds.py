"""The kinds of a controller's catalog: their fields, and their names on the command line. Only data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BASE = "/quantum/v1.0"

PROTOCOLS = ("tcp", "udp", "icmp")


@dataclass(frozen=True)
class Field:
    """A field that can be set.

    key: in REST; name: the option, if it differs from that; refers: the kind, or "algorithm", that it names; optional: it can be cleared.
    """

    key: str
    metavar: str
    help: str
    name: str = ""
    required: bool = False
    choices: Sequence[str] = ()
    refers: str = ""
    optional: bool = False

    @property
    def option(self) -> str:
        return self.name or "--" + self.key.replace("_", "-")


@dataclass(frozen=True)
class Kind:
    """columns: the fields in the table, by heading; empty: the text for a field that is not set."""

    name: str
    collection: str
    meaning: str
    fields: Sequence[Field]
    columns: dict[str, str]
    empty: dict[str, str]

    @property
    def path(self) -> str:
        return f"{BASE}/{self.collection}/"

    def options(self) -> dict[str, str]:
        """By field, its name on the command line; for errors."""
        return {"id": "ID", **{field.key: field.option for field in self.fields}}


_NAME = Field("name", "TEXT", "a display name (default: the id)")
_PROTOCOL = Field("protocol", "P", "tcp, udp or icmp (default: any)", choices=PROTOCOLS, optional=True)
_METHOD = Field(
    "lb_method", "ALGORITHM", "the placement algorithm, for example LC+SPH (default: from the services)", refers="algorithm", optional=True
)
_LIMIT = Field("connection_limit", "N", "max number of open connections (default: unlimited)", optional=True)

_VLAN = Field("vlan", "N", "the VLAN, 1 to 4094 (default: untagged)", optional=True)
_STATE = Field("admin_state", "STATE", "up; down: no new connections, open ones continue", choices=("up", "down"))
_NOTES = (
    Field("description", "TEXT", "a text without effect", optional=True),
    Field("tags", "TAGS", "strings without effect, separated by commas", optional=True),
    Field("external_ids", "IDS", "what other systems know it by, for example project_id=7,owner=shop", optional=True),
)

LOAD_BALANCER = Kind(
    "load-balancer",
    "load_balancers",
    "load balancers: addresses, each with all of its VIPs",
    (
        _NAME,
        Field("address", "ADDRESS", "IPv4 or IPv6; the VIPs with it belong to the load balancer", required=True),
        _STATE,
        *_NOTES,
    ),
    {"load balancer": "id", "name": "name", "address": "address", "state": "admin_state", "vips": "vips"},
    {},
)

VIP = Kind(
    "vip",
    "vips",
    "virtual addresses that clients connect to",
    (
        _NAME,
        Field("address", "ADDRESS", "IPv4 or IPv6", required=True),
        _VLAN,
        _PROTOCOL,
        Field("port", "N", "the port, or the ICMP type (default: any)", optional=True),
        _METHOD,
        Field(
            "allowed_sources",
            "NETWORKS",
            "networks of the clients that may connect, for example 10.0.0.0/8,192.168.7.1 (default: all)",
            optional=True,
        ),
        _LIMIT,
        Field(
            "placement",
            "MODE",
            "auto: tracked where switches can, else reactive; tracked: switches remember connections; proactive: by rules in"
            " advance; reactive: at the first packet, by rules of each connection (default reactive)",
            choices=("reactive", "proactive", "auto", "tracked"),
        ),
        Field(
            "auto_per_second",
            "N",
            "the new connections per second from which switches place them by shares, 0 for always (default: the setting autoPerSecond)",
            optional=True,
        ),
        _STATE,
        *_NOTES,
    ),
    {"vip": "id", "name": "name", "address": "address", "protocol": "protocol", "port": "port", "lb method": "lb_method", "pool": "pools"},
    {"protocol": "any", "port": "any"},
)

POOL = Kind(
    "pool",
    "pools",
    "pools: the servers behind a virtual address",
    (
        _NAME,
        Field(
            "load_balancer_id",
            "LOAD_BALANCER",
            "the load balancer that it belongs to; its VIP, if any, has the same address",
            "--load-balancer",
            refers="load-balancer",
            optional=True,
        ),
        Field("vip_id", "VIP", "the virtual address that it serves", "--vip", refers="vip", optional=True),
        _PROTOCOL,
        _METHOD,
        Field("slow_start", "S", "seconds in which a new or recovered member reaches its full share (default 0)"),
        Field(
            "session_persistence",
            "HOW",
            "keep clients on their member: SOURCE_IP, or type=SOURCE_IP,timeout=SECONDS (1800) (default: off)",
            optional=True,
        ),
        Field(
            "source_nat",
            "YES",
            "true: members see an address of the client's switch instead of the client's; with placement tracked or auto (default false)",
            choices=("true", "false"),
        ),
        _STATE,
        *_NOTES,
    ),
    {"pool": "id", "name": "name", "vip": "vip_id", "protocol": "protocol", "lb method": "lb_method", "members": "members"},
    {"protocol": "any"},
)

MEMBER = Kind(
    "member",
    "members",
    "members: the servers of pools",
    (
        _NAME,
        Field("address", "ADDRESS", "IPv4 or IPv6", required=True),
        _VLAN,
        Field("port", "N", "the port on the server (default: the client's destination port)", optional=True),
        Field("pool_id", "POOL", "the pool that it serves in", "--pool", refers="pool", optional=True),
        Field("weight", "N", "its share, 0 to 256 (default 1); 0: no new connections"),
        Field("backup", "YES", "true: use it only while no other member of the pool accepts connections (default false)", choices=("true", "false")),
        _LIMIT,
        Field("admin_state", "STATE", "up; drain: no new connections; down: none at all", choices=("up", "drain", "down")),
        Field("monitor_address", "ADDRESS", "the address for HTTP checks (default: its address)", optional=True),
        Field("monitor_port", "N", "the port of its TCP and HTTP checks (default: the monitor's)", optional=True),
        *_NOTES,
    ),
    {"member": "id", "address": "address", "port": "port", "pool": "pool_id", "weight": "weight", "backup": "backup", "state": "admin_state"},
    {"port": "any"},
)

SERVICE = Kind(
    "service",
    "services",
    "services: which algorithm places the connections of a port",
    (
        Field("service_name", "TEXT", "a display name (default: the id)", "--name"),
        Field("port", "N", "the destination port of clients"),
        _PROTOCOL,
        Field("algorithm", "ALGORITHM", "for example SL-PS or LC+SPH", required=True, refers="algorithm"),
    ),
    {"service": "id", "name": "service_name", "protocol": "protocol", "port": "port", "algorithm": "algorithm"},
    {"protocol": "any", "port": "other"},
)

MONITOR = Kind(
    "monitor",
    "health_monitors",
    "health monitors: how the members of a pool are checked",
    (
        _NAME,
        Field("type", "TYPE", "PING, TCP, HTTP or AGENT (its reports arrive)", required=True, choices=("PING", "TCP", "HTTP", "AGENT")),
        Field("pool_id", "POOL", "the pool whose members are checked", "--pool", refers="pool", optional=True),
        Field("delay", "S", "seconds between checks (default 5)"),
        Field("timeout", "S", "max seconds until the answer (default 2; for AGENT 5)"),
        Field("rise", "N", "successful checks that bring a member up (default 2)"),
        Field("attempts_before_deactivation", "N", "failed checks that take it down (default 3)", "--fall"),
        Field("port", "N", "the port of TCP and HTTP checks (default: the member's, otherwise the VIP's)", optional=True),
        Field("on_down", "WHAT", "reset or keep the open connections of a member that goes down (default reset)", choices=("reset", "keep")),
        Field("http_method", "METHOD", "the method of HTTP checks: GET, HEAD or OPTIONS (default GET)", choices=("GET", "HEAD", "OPTIONS")),
        Field("url_path", "PATH", "the path of HTTP checks (default /)"),
        Field("expected_codes", "CODES", "the accepted status codes: 200, 200,202 or 200-204 (default 200)"),
        Field("expected_body", "TEXT", "a string that the response must contain (default: any response passes)", optional=True),
        Field("admin_state", "STATE", "up; down: no checks", choices=("up", "down")),
        *_NOTES,
    ),
    {
        "monitor": "id",
        "pool": "pool_id",
        "type": "type",
        "delay": "delay",
        "timeout": "timeout",
        "rise": "rise",
        "fall": "attempts_before_deactivation",
        "port": "port",
        "on down": "on_down",
    },
    {},
)

KINDS = {kind.name: kind for kind in (LOAD_BALANCER, VIP, POOL, MEMBER, SERVICE, MONITOR)}
