"""OpenStack's command and SDK for load balancers, unchanged, in an environment of their own."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

from malob.system.environment import install, programs
from malob.system.processes import bound_to_us, run

OCTAVIA_CLIENT, COMMAND, SDK = "3.15.0", "10.5.0", "4.22.0"
_SESSION = Path(__file__).parent / "openstack_session.py"


def folder() -> Path:
    """The folder of their programs, installed first if they are not there. Raises MissingError if that cannot be done."""
    packages = (f"python-octaviaclient=={OCTAVIA_CLIENT}", f"python-openstackclient=={COMMAND}", f"openstacksdk=={SDK}")
    return programs(f"openstack-{OCTAVIA_CLIENT}-{COMMAND}-{SDK}", *packages)


def without_token(url: str) -> list[str]:
    """The options of the command for a controller that asks for no token."""
    return ["--os-auth-type", "none", "--os-endpoint", url]


def with_token(url: str, token: str) -> list[str]:
    """The options of the command for a controller that asks for tokens."""
    return ["--os-auth-type", "admin_token", "--os-endpoint", url, "--os-token", token]


def typed(options: list[str], words: str) -> Any:
    """What a command prints, in a process of its own, as users type it. Raises ScriptError if it fails."""
    return _read(run([str(folder() / "openstack"), *options, *shlex.split(words), *_format(words)], timeout_s=60))


class RefusedError(Exception):
    """A client has failed, with what it says."""


class Session:
    """One process with the command and the SDK, which take a second to load each time. Ended by close(), and by the end of this process."""

    def __init__(self, url: str) -> None:
        """url: of a controller that asks for no token."""
        self._options = without_token(url)
        command = [str(folder() / "python"), "-I", str(_SESSION), url]
        self._process = subprocess.Popen(bound_to_us(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def openstack(self, words: str) -> Any:
        """What the command prints for these words: JSON for what is created, shown or listed. Raises RefusedError."""
        return _read(self._ask(command=[*self._options, *shlex.split(words), *_format(words)]))

    def sdk(self, method: str, *arguments: Any, **named: Any) -> Any:
        """What a method of the SDK's Connection.load_balancer returns, as JSON. Raises RefusedError."""
        return self._ask(method=method, arguments=arguments, named=named)

    def _ask(self, **request: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise RefusedError(answer["error"])
        return answer["result"]


def _format(words: str) -> list[str]:
    """Options for a result as JSON; commands that print nothing do not know them."""
    silent = {"set", "unset", "delete", "failover"}
    return [] if silent.intersection(shlex.split(words)[:3]) or " status show " in words else ["-f", "json"]


def _read(printed: str) -> Any:
    return json.loads(printed) if printed.strip() else None


if __name__ == "__main__":
    install(folder)
