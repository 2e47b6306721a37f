"""The agents of a controller and their keys: agents.json in its data directory, or a document in etcd."""

from __future__ import annotations

import ipaddress
import re
import secrets
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.system.private import Kept, PrivateFile

KINDS = ("server", "link")
_ID = re.compile(r"[A-Za-z0-9._-]{1,32}")
_MAX_OTHER_ADDRESSES = 15
_KEY_BYTES = 32


class AgentsFile:
    """The agents of a controller, or of a cluster. Raises ScriptError if they cannot be read or written."""

    def __init__(self, place: Path | Kept) -> None:
        self._kept: Kept = PrivateFile(place, "agents") if isinstance(place, Path) else place

    @property
    def agents(self) -> list[dict[str, Any]]:
        """The current agents."""
        entries: list[dict[str, Any]] = (self._kept.read() or _empty())["agents"]
        return entries

    def add(self, name: str, kind: str, address: str, other_addresses: str | None = None) -> str:
        """Enters an agent with a new key, which is returned. other_addresses: of the same machine, separated by commas.

        Raises UsageError if a value is wrong, or there is such an agent already.
        """
        if not _ID.fullmatch(name):
            raise UsageError(f"ID: expected 1 to 32 letters, digits, dots, dashes or underscores, not '{name}'")
        entry = {"id": name, "kind": kind, "address": _address("--address", address)}
        others = [_address("--other-addresses", text) for text in other_addresses.split(",")] if other_addresses else []
        if len(others) > _MAX_OTHER_ADDRESSES:
            raise UsageError(f"--other-addresses: expected max {_MAX_OTHER_ADDRESSES} addresses")
        addresses = {entry["address"], *others}
        key = secrets.token_hex(_KEY_BYTES)

        def more(document: dict[str, Any] | None) -> dict[str, Any]:
            content = document or _empty()
            for agent in content["agents"]:
                if agent.get("id") == name:
                    raise UsageError(f"agent {name} already exists; './malob agent remove {name}' removes it")
                known = {agent.get("address"), *agent.get("other_addresses", [])}
                if agent.get("kind") == kind and known & addresses:
                    raise UsageError(f"{min(known & addresses)} already has a {kind} agent, {agent.get('id')}")
            more_fields = {"other_addresses": others} if others else {}
            return {**content, "agents": [*content["agents"], {**entry, **more_fields, "key": key}]}

        self._kept.change(more)
        return key

    def rotate(self, name: str, overlap_s: int, now_s: float) -> dict[str, Any]:
        """Gives an agent a new key; the old key stays valid for overlap_s. Returns the new fields of its configuration.

        Raises UsageError if there is no agent of that name.
        """
        configuration: dict[str, Any] = {"id": name, "key": secrets.token_hex(_KEY_BYTES)}

        def rotated(document: dict[str, Any] | None) -> dict[str, Any]:
            content = document or _empty()
            agent = next((agent for agent in content["agents"] if agent.get("id") == name), None)
            if agent is None:
                raise UsageError(f"there is no agent {name} in {self._kept}")
            before = agent.get("key")
            agent["key"] = configuration["key"]
            configuration["address"] = agent.get("address")
            agent.pop("former_key", None)
            agent.pop("former_until", None)
            if before is not None and overlap_s > 0:
                agent.update(former_key=before, former_until=int(now_s) + overlap_s)
            return content

        self._kept.change(rotated)
        return configuration

    def remove(self, name: str) -> None:
        """Removes an agent. Raises UsageError if there is none of that name."""

        def fewer(document: dict[str, Any] | None) -> dict[str, Any]:
            content = document or _empty()
            others = [agent for agent in content["agents"] if agent.get("id") != name]
            if len(others) == len(content["agents"]):
                raise UsageError(f"there is no agent {name} in {self._kept}")
            return {**content, "agents": others}

        self._kept.change(fewer)


def _address(option: str, text: str) -> str:
    """The address as the controller writes it. Raises UsageError for texts that the controller rejects, such as those with a zone."""
    try:
        address = ipaddress.ip_address(text)
        if "%" in text or (isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped):
            raise ValueError
    except ValueError:
        raise UsageError(f"{option}: expected an IPv4 or IPv6 address, not '{text}'") from None
    return str(address)


def _empty() -> dict[str, Any]:
    return {"allow_unsigned": False, "agents": []}
