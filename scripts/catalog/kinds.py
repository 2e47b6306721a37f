"""The four kinds of a controller's catalog: their fields, and how the command line calls them. Only data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

BASE = "/quantum/v1.0"

PROTOCOLS = ("tcp", "udp", "icmp")


@dataclass(frozen=True)
class Field:
    """A field that can be set. key: in REST; option: on the command line; refers: the kind that it names, if it does."""

    key: str
    metavar: str
    help: str
    option: str
    required: bool = False
    choices: Sequence[str] = ()
    refers: str = ""
    #: whether it can be taken away again
    optional: bool = False


@dataclass(frozen=True)
class Kind:
    """columns: what the table shows, by heading; empty: what stands for a field that is not set."""

    name: str
    collection: str
    meaning: str
    fields: Sequence[Field]
    columns: "dict[str, str]"
    empty: "dict[str, str]"

    @property
    def path(self) -> str:
        return f"{BASE}/{self.collection}/"

    def options(self) -> "dict[str, str]":
        """By field, what the command line calls it; for errors."""
        return {"id": "ID", **{field.key: field.option for field in self.fields}}


_NAME = Field("name", "TEXT", "for people; the id if it is not given", "--name")
_PROTOCOL = Field("protocol", "P", "tcp, udp or icmp; not set: any", "--protocol", choices=PROTOCOLS, optional=True)
_METHOD = Field(
    "lb_method", "ALGORITHM", "how its connections are placed, as LC+SPH; not set: the services table decides",
    "--lb-method", optional=True)

VIP = Kind(
    "vip", "vips", "virtual addresses: what clients connect to",
    (_NAME,
     Field("address", "ADDRESS", "IPv4", "--address", required=True),
     _PROTOCOL,
     Field("port", "N", "port, or ICMP type; not set: every port", "--port", optional=True),
     _METHOD),
    {"vip": "id", "name": "name", "address": "address", "protocol": "protocol", "port": "port", "lb method": "lb_method",
     "pool": "pools"},
    {"protocol": "any", "port": "any"})

POOL = Kind(
    "pool", "pools", "pools: the servers behind a virtual address",
    (_NAME,
     Field("vip_id", "VIP", "the virtual address that it serves", "--vip", refers="vip", optional=True),
     _PROTOCOL, _METHOD),
    {"pool": "id", "name": "name", "vip": "vip_id", "protocol": "protocol", "lb method": "lb_method", "members": "members"},
    {"protocol": "any"})

MEMBER = Kind(
    "member", "members", "members: the servers of pools",
    (Field("address", "ADDRESS", "IPv4", "--address", required=True),
     Field("port", "N", "on the server; not set: the one that the client asked for", "--port", optional=True),
     Field("pool_id", "POOL", "the pool that it serves in", "--pool", refers="pool", optional=True),
     Field("weight", "N", "its share, 1 to 256 (1)", "--weight"),
     Field("admin_state", "STATE", "up; drain: no new connections; down: none at all", "--admin-state",
           choices=("up", "drain", "down"))),
    {"member": "id", "address": "address", "port": "port", "pool": "pool_id", "weight": "weight", "state": "admin_state"},
    {"port": "any"})

SERVICE = Kind(
    "service", "services", "services: which algorithm places the connections of a port",
    (Field("service_name", "TEXT", "for people; the id if it is not given", "--name"),
     Field("port", "N", "the port that clients ask for", "--port"),
     _PROTOCOL,
     Field("algorithm", "ALGORITHM", "as SL-PS or LC+SPH", "--algorithm", required=True)),
    {"service": "id", "name": "service_name", "protocol": "protocol", "port": "port", "algorithm": "algorithm"},
    {"protocol": "any", "port": "other"})

KINDS = {kind.name: kind for kind in (VIP, POOL, MEMBER, SERVICE)}
