"""The .deb packages: malob-agents contains the programs for servers, which need only Python; malob contains everything
else."""

from __future__ import annotations

import gzip
import hashlib
import tempfile
from datetime import datetime, timezone
from email.utils import format_datetime
from functools import partial
from pathlib import Path

from malob.errors import ScriptError
from malob.system.processes import run
from tools.release.files import LEVEL, LOGGING, SETTINGS, File, Files, below, contains, relinked, write
from tools.release.project import Project

PLACE = "usr/share/malob"
_DOCUMENTS = "usr/share/doc/malob"
_UNITS = "usr/lib/systemd/system"
_AGENTS = "scripts/agents/"
_SCRIPTS = ("postinst", "prerm", "postrm")

#: The location of MALOB in manually installed units, and in the package; longer paths first.
_PLACES = (
    (b"/opt/malob/agents/", b"/usr/share/malob/scripts/agents/"),
    (b"/opt/malob/docs/", b"/usr/share/doc/malob/"),
    (b"/opt/malob", b"/usr/share/malob"),
)


def packages(program: Files, build: Path, project: Project) -> dict[str, dict[str, File]]:
    """The files of each package, by its name."""
    own = build / "packaging"
    agents: dict[str, File] = {}
    main: dict[str, File] = {
        "usr/bin/malob": File(link="../share/malob/malob"),
        f"{_UNITS}/malob-controller.service": File((own / "systemd" / "malob-controller.service").read_bytes()),
        "usr/share/man/man1/malob.1.gz": File(gzip.compress((own / "debian" / "malob.1").read_bytes(), mtime=0)),
        "etc/malob/malob.properties": program[SETTINGS],
        "etc/malob/logback.xml": program[LOGGING],
    }
    for path, file in {**program, **relinked(program, partial(_place_for, program))}.items():
        target = agents if path.startswith(_AGENTS) else main
        if path.endswith(".service"):
            file = File(_in_package(path, file.content))
        # the licence is in the copyright file
        if path != "LICENSE":
            target[_place(path)] = file
    for name, files in (("malob", main), ("malob-agents", agents)):
        files[f"usr/share/doc/{name}/copyright"] = File((own / "debian" / "copyright").read_bytes())
        files[f"usr/share/doc/{name}/changelog.gz"] = File(gzip.compress(_changelog(name, project), mtime=0))
    return {"malob": main, "malob-agents": agents}


def _place(path: str) -> str:
    """Where a file or folder of the program is in its package."""
    if path.endswith(".service"):
        return f"{_UNITS}/{Path(path).name}"
    if path == "docs" or path.startswith("docs/"):
        return f"{_DOCUMENTS}{path.removeprefix('docs')}"
    return f"{_DOCUMENTS}/{path}" if path in ("README.md", "CHANGELOG.md", "NOTICE") else f"{PLACE}/{path}"


def _place_for(program: Files, page: str, path: str) -> str | None:
    """The same if the readers of a page have it: malob-agents can be installed without the other package."""
    return _place(path) if contains(program, path) and (path.startswith(_AGENTS) or not page.startswith(_AGENTS)) else None


def _changelog(name: str, project: Project) -> bytes:
    """A changelog for the distribution's tools; it refers to CHANGELOG.md for the changes."""
    date = format_datetime(datetime.fromtimestamp(project.epoch, timezone.utc))
    return (
        f"{name} ({project.debian_version}) unstable; urgency=medium\n\n  * See /usr/share/doc/malob/CHANGELOG.md.\n\n"
        f" -- The MALOB authors <malob@localhost>  {date}\n"
    ).encode()


def _in_package(path: str, unit: bytes) -> bytes:
    for by_hand, packaged in _PLACES:
        unit = unit.replace(by_hand, packaged)
    if b"/opt/" in unit:
        raise ScriptError(f"{path} names a place that no package has: /opt")
    return unit


def control(name: str, files: Files, build: Path, project: Project) -> dict[str, File]:
    """The package's control files."""
    own = build / "packaging" / "debian"
    kib = sum(-(-len(file.content) // 1024) for file in files.values())
    text = (own / f"{name}.control").read_text(encoding="utf-8")
    text = text.replace("@VERSION@", project.debian_version).replace("@SIZE@", str(kib))
    sums = "".join(
        f"{hashlib.md5(file.content).hexdigest()}  {path}\n" for path, file in sorted(files.items()) if not file.link and not path.startswith("etc/")
    )
    found = {"control": File(text.encode()), "md5sums": File(sums.encode())}
    configuration = "".join(f"/{path}\n" for path in sorted(files) if path.startswith("etc/"))
    if configuration:
        found["conffiles"] = File(configuration.encode())
    for script in _SCRIPTS:
        found[script] = File((own / f"{name}.{script}").read_bytes(), executable=True)
    return found


def make(name: str, files: Files, build: Path, project: Project) -> bytes:
    """The bytes of a package. Needs dpkg-deb."""
    with tempfile.TemporaryDirectory(prefix="malob-deb-") as directory:
        stage, package = Path(directory) / "stage", Path(directory) / "package.deb"
        write({**files, **below("DEBIAN", control(name, files, build, project))}, stage, project.epoch)
        # gzip, because the output of xz depends on the number of processors
        run(
            [
                "env",
                f"SOURCE_DATE_EPOCH={project.epoch}",
                "dpkg-deb",
                "--root-owner-group",
                "-Zgzip",
                f"-z{LEVEL}",
                "--build",
                str(stage),
                str(package),
            ],
            timeout_s=120,
        )
        return package.read_bytes()


def file_name(name: str, project: Project) -> str:
    return f"{name}_{project.debian_version}_all.deb"
