"""The controller's file of agents and their keys: agents.json in its data directory."""

from __future__ import annotations

import ipaddress
import re
import secrets
from pathlib import Path
from typing import Any

from malob.errors import UsageError
from malob.system.private import changing, read_private

KINDS = ("server", "link")
_ID = re.compile(r"[A-Za-z0-9._-]{1,32}")
_KEY_BYTES = 32


class AgentsFile:
    """Each change locks the file, reads it anew, and writes it whole, readable by its owner alone. Raises ScriptError if it cannot."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def agents(self) -> list[dict[str, Any]]:
        """The current agents of the file."""
        entries: list[dict[str, Any]] = (read_private(self.path, "agents") or _empty())["agents"]
        return entries

    def add(self, name: str, kind: str, address: str) -> str:
        """Enters an agent with a new key, which is returned.

        Raises UsageError if a value is wrong, or the file has such an agent already.
        """
        if not _ID.fullmatch(name):
            raise UsageError(f"ID: expected 1 to 32 letters, digits, dots, dashes or underscores, not '{name}'")
        try:
            address = str(ipaddress.IPv4Address(address))
        except ValueError:
            raise UsageError(f"--address: expected an IPv4 address, not '{address}'") from None
        with changing(self.path, "agents") as file:
            content = file.document or _empty()
            for agent in content["agents"]:
                if agent.get("id") == name:
                    raise UsageError(f"agent {name} already exists; './malob agent remove {name}' removes it")
                if (agent.get("kind"), agent.get("address")) == (kind, address):
                    raise UsageError(f"{address} already has a {kind} agent, {agent.get('id')}")
            key = secrets.token_hex(_KEY_BYTES)
            content["agents"].append({"id": name, "kind": kind, "address": address, "key": key})
            file.write(content)
        return key

    def rotate(self, name: str, overlap_s: int, now_s: float) -> dict[str, Any]:
        """Gives an agent a new key; the old key stays valid for overlap_s. Returns the new fields of its configuration.

        Raises UsageError if there is no agent of that name.
        """
        with changing(self.path, "agents") as file:
            content = file.document or _empty()
            agent = next((agent for agent in content["agents"] if agent.get("id") == name), None)
            if agent is None:
                raise UsageError(f"there is no agent {name} in {self.path}")
            before = agent.get("key")
            agent["key"] = secrets.token_hex(_KEY_BYTES)
            agent.pop("former_key", None)
            agent.pop("former_until", None)
            if before is not None and overlap_s > 0:
                agent.update(former_key=before, former_until=int(now_s) + overlap_s)
            file.write(content)
        return {"id": name, "key": agent["key"], "address": agent.get("address")}

    def remove(self, name: str) -> None:
        """Removes an agent. Raises UsageError if there is none of that name."""
        with changing(self.path, "agents") as file:
            content = file.document or _empty()
            others = [agent for agent in content["agents"] if agent.get("id") != name]
            if len(others) == len(content["agents"]):
                raise UsageError(f"there is no agent {name} in {self.path}")
            file.write({**content, "agents": others})


def _empty() -> dict[str, Any]:
    return {"allow_unsigned": False, "agents": []}
