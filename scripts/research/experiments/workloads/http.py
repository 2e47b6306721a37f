"""Web pages from nginx: some pages are one request."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from lab import webserver
from research.experiments.hosting import ServerHost


@dataclass(frozen=True)
class Http:
    """pages: per request, over one connection or each over its own. page_bytes: of the body of each. pause_s: between requests."""

    page_bytes: int
    pages: int = 5
    connection_per_page: bool = False
    pause_s: float = 0
    name: str = "http"
    port: int = webserver.PORT

    @property
    def expected_s(self) -> float:
        return 0.5 + self.pause_s

    def prepare(self, host: ServerHost) -> None:
        host.file(self._file, self.page_bytes)

    def serve(self, host: ServerHost) -> subprocess.Popen[bytes]:
        content = f"sendfile on; tcp_nodelay on; location / {{ root {host.files}; add_header X-Server {host.name}; }}"
        return webserver.start(host.lab, host.name, content, host.limited)

    def client_options(self) -> list[str]:
        return [
            "--port",
            str(self.port),
            "--file",
            self._file,
            "--bytes",
            str(self.page_bytes),
            "--pages",
            str(self.pages),
            "--pause",
            str(self.pause_s),
            *(["--connection-per-page"] if self.connection_per_page else []),
        ]

    @property
    def _file(self) -> str:
        return f"{self.page_bytes}.html"
