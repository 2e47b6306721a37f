"""Ways for reports to the controller: UDP within the network, HTTP over a management network, or the screen."""

from __future__ import annotations

import errno
import http.client
import json
import socket
import sys
import urllib.error
import urllib.request
from typing import Protocol
from urllib.parse import urlsplit

from reporting.configuration import AgentError, Configuration

HTTP_TIMEOUT_S = 3.0
_SO_BINDTODEVICE = 25


class Delivery(Protocol):
    """Sends reports, one at a time. A report that is not delivered is not kept: the next one is newer."""

    def send(self, report: bytes) -> None:
        """Raises AgentError if the report was not sent, or the controller has refused it."""

    def close(self) -> None:
        """Ends all connections."""


def of(configuration: Configuration) -> Delivery:
    """The delivery that the configuration selects."""
    if configuration.controller.startswith("udp://"):
        return UdpDelivery(configuration)
    return HttpDelivery(configuration.controller)


class UdpDelivery:
    """UDP to an address without a host: the first switch sends it to the controller. There is no answer."""

    def __init__(self, configuration: Configuration) -> None:
        to = urlsplit(configuration.controller)
        if to.port is None or to.hostname is None:
            raise AgentError(f"controller: the port is missing in {configuration.controller}")
        self._to = (to.hostname, to.port)
        self._address = configuration.address
        self._interface = configuration.interface
        self._socket: socket.socket | None = None

    def send(self, report: bytes) -> None:
        try:
            if self._socket is None:
                self._socket = self._open()
            self._socket.sendto(report, self._to)
        except OSError as error:
            self.close()  # an address or a device that comes back later needs a new socket
            raise AgentError(self._explain(error)) from None

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _open(self) -> socket.socket:
        new = socket.socket(socket.AF_INET6 if ":" in self._to[0] else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            new.setblocking(False)
            if self._interface:
                # with a device named, Linux takes an address without a route for a neighbour
                new.setsockopt(socket.SOL_SOCKET, _SO_BINDTODEVICE, self._interface.encode() + b"\0")
            if self._address:
                new.bind((self._address, 0))
        except OSError:
            new.close()
            raise
        return new

    def _explain(self, error: OSError) -> str:
        where = self._to[0]
        if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
            route = f"-6 route add {where}/128" if ":" in where else "route add 192.168.9.16/28"
            return f"there is no route to {where}: 'ip {route} dev DEVICE' adds one, or name the DEVICE as \"interface\" in the configuration"
        if error.errno == errno.EADDRNOTAVAIL:
            return f"address: {self._address} is not an address of this machine"
        if error.errno == errno.ENODEV:
            return f"interface: there is no device {self._interface}"
        if error.errno == errno.EPERM and self._interface:
            return f"interface: binding to {self._interface} needs CAP_NET_RAW on this kernel"
        return f"UDP to {where} failed: {error.strerror}"


class HttpDelivery:
    """HTTP POST; the controller answers at once whether it has accepted the report."""

    def __init__(self, url: str) -> None:
        self._url = url
        # proxies are for the Internet, not for the controller
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def send(self, report: bytes) -> None:
        request = urllib.request.Request(self._url, data=report, method="POST", headers={"Content-Type": "text/plain"})
        try:
            with self._opener.open(request, timeout=HTTP_TIMEOUT_S):
                pass
        except urllib.error.HTTPError as error:
            with error:
                raise AgentError(f"the controller refused the report: {error.code}: {_reason(error)}") from None
        except (OSError, http.client.HTTPException) as error:
            raise AgentError(f"no answer from {self._url}: {error}") from None

    def close(self) -> None:
        pass


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(4096)).get("error"))
    except (OSError, ValueError, AttributeError, http.client.HTTPException):
        return error.reason


class ScreenDelivery:
    """Prints reports instead of sending them."""

    def send(self, report: bytes) -> None:
        print(report.decode(), flush=True)

    def close(self) -> None:
        sys.stdout.flush()
