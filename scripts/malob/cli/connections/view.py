"""Connections as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from malob.cli.status.view import UNKNOWN, end
from malob.cli.table import render, with_port


def table(connections: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines: one for each connection; '-' for missing values."""
    rows = [
        [
            each["protocol"] or UNKNOWN,
            with_port(each["client_address"], each["client_port"]),
            each["vip_id"] or UNKNOWN,
            with_port(each["vip_address"], each["port"]),
            each["member_id"] or UNKNOWN,
            with_port(each["member_address"], each["member_port"]),
            each["algorithm"],
            each["state"],
            f"{each['age_s']:.1f}",
            path(each["request_path"]),
            path(each["reply_path"]),
        ]
        for each in connections
    ]
    header = ["protocol", "client", "VIP", "address", "member", "address", "algorithm", "state", "age s", "request path", "reply path"]
    return render(header, rows, [8])


def path(hops: Sequence[Mapping[str, Any]] | None) -> str:
    """The switches of a path, each with its egress port."""
    return UNKNOWN if hops is None else " ".join(end({"switch": hop["switch"], "port": hop["out_port"]}) for hop in hops)
