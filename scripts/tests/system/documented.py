"""The fields that OpenStack's API reference for load balancers documents, and those that our documentation lists as absent.

From docs.openstack.org/api-ref/load-balancer/v2 of August 2026: of each resource, what create and update take, and what show returns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from malob.system.place import ROOT

PAGE = ROOT / "docs" / "how-to" / "openstack-clients.md"
_ROW = re.compile(r"^\| (loadbalancer|listener|pool|member|healthmonitor) \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)


@dataclass(frozen=True)
class Resource:
    """One kind of object. collection: its path. required: what each must have; {pool} is the id of a pool.

    samples: fields that may be given, each with a value that differs from the default. shown: fields of answers only.
    not_echoed: samples that answers do not repeat as they were given. content: what is in each, for fields that name it.
    """

    noun: str
    collection: str
    required: Mapping[str, Any]
    samples: Mapping[str, Any]
    shown: Sequence[str]
    not_echoed: frozenset[str] = frozenset()
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> set[str]:
        return {*self.required, *self.samples, *self.shown}

    def path(self, ids: Mapping[str, str]) -> str:
        return f"/v2.0/lbaas/{self.collection.format(**ids)}"

    def body(self, ids: Mapping[str, str], **more: Any) -> dict[str, Any]:
        """Of a request for a new object, with more than it must have."""
        return {self.noun: {name: filled(value, ids) for name, value in {**self.required, **more}.items()}}


def filled(value: Any, ids: Mapping[str, str]) -> Any:
    """A value, or the id that it stands for."""
    return value.format(**ids) if isinstance(value, str) else value


_STATE = ("id", "operating_status", "provisioning_status", "created_at", "updated_at")
_OF_ALL = {"name": "sample", "admin_state_up": False, "project_id": "p1", "tags": ["sample"]}
_TLS = {"alpn_protocols": ["h2"], "tls_ciphers": "AES", "tls_versions": ["TLSv1.3"]}
_TCP = {"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN"}

LOAD_BALANCER = Resource(
    "loadbalancer",
    "loadbalancers",
    {"vip_address": "10.0.0.190"},
    {
        **_OF_ALL,
        "description": "sample",
        "additional_vips": [{"subnet_id": "s1", "ip_address": "10.0.0.191"}],
        "availability_zone": "az1",
        "flavor_id": "f1",
        "listeners": [{"protocol": "TCP", "protocol_port": 80}],
        "provider": "malob",
        "vip_network_id": "n1",
        "vip_port_id": "p1",
        "vip_qos_policy_id": "q1",
        "vip_sg_ids": ["g1"],
        "vip_subnet_id": "s1",
    },
    (*_STATE, "pools", "vip_vnic_type"),
    not_echoed=frozenset({"listeners"}),
)
LISTENER = Resource(
    "listener",
    "listeners",
    {"loadbalancer_id": "{loadbalancer}", "protocol": "TCP", "protocol_port": 80},
    {
        **_OF_ALL,
        **_TLS,
        "description": "sample",
        "allowed_cidrs": ["10.0.0.0/24"],
        "client_authentication": "MANDATORY",
        "client_ca_tls_container_ref": "https://keys/1",
        "client_crl_container_ref": "https://keys/1",
        "connection_limit": 7,
        "default_pool": {**_TCP, "name": "inner"},
        "default_pool_id": "{pool}",
        "default_tls_container_ref": "https://keys/1",
        "hsts_include_subdomains": True,
        "hsts_max_age": 60,
        "hsts_preload": True,
        "insert_headers": {"X-Forwarded-For": "true"},
        "l7policies": [{"action": "REJECT"}],
        "sni_container_refs": ["https://keys/1"],
        "timeout_client_data": 1000,
        "timeout_member_connect": 1000,
        "timeout_member_data": 1000,
        "timeout_tcp_inspect": 1000,
    },
    (*_STATE, "loadbalancers"),
    not_echoed=frozenset({"default_pool"}),
)
POOL = Resource(
    "pool",
    "pools",
    {**_TCP, "loadbalancer_id": "{loadbalancer}"},
    {
        **_OF_ALL,
        **_TLS,
        "description": "sample",
        "ca_tls_container_ref": "https://keys/1",
        "crl_container_ref": "https://keys/1",
        "listener_id": "{listener}",
        "session_persistence": {"type": "SOURCE_IP"},
        "tls_container_ref": "https://keys/1",
        "tls_enabled": True,
    },
    (*_STATE, "healthmonitor_id", "listeners", "loadbalancers", "members"),
    not_echoed=frozenset({"listener_id", "session_persistence"}),
    content={"healthmonitor": {"type": "TCP", "delay": 5, "timeout": 3, "max_retries": 2}},
)
MEMBER = Resource(
    "member",
    "pools/{pool}/members",
    {"address": "10.0.0.11", "protocol_port": 80},
    {
        **_OF_ALL,
        "backup": True,
        "monitor_address": "10.0.0.12",
        "monitor_port": 81,
        "request_sriov": True,
        "subnet_id": "s1",
        "weight": 9,
    },
    (*_STATE, "vnic_type"),
    not_echoed=frozenset({"request_sriov"}),
)
HEALTH_MONITOR = Resource(
    "healthmonitor",
    "healthmonitors",
    {"pool_id": "{pool}", "type": "HTTP", "delay": 5, "timeout": 3, "max_retries": 2},
    {
        **_OF_ALL,
        "domain_name": "www.example.org",
        "expected_codes": "200-204",
        "http_method": "HEAD",
        "http_version": 1.1,
        "max_retries_down": 4,
        "url_path": "/health",
    },
    _STATE,
)
RESOURCES = (LOAD_BALANCER, LISTENER, POOL, MEMBER, HEALTH_MONITOR)


def listed_as_absent() -> set[tuple[str, str]]:
    """The resources and fields that our documentation lists as absent, each with a reason."""
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {(noun, name) for noun, names in rows for name in re.findall(r"`(\w+)`", names)}
