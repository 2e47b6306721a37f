"""`./malob release`: all files of a release, built from a copy of the checkout's own files."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from malob.cli.arguments import Parser
from malob.errors import ScriptError, UsageError, run_main
from malob.system.place import ROOT
from malob.system.waiting import orderly_end, say
from tools.release import container, debian, licences, project, sources
from tools.release.files import below, program, tar_gz
from tools.release.project import Project


def parser() -> Parser:
    made = Parser(prog="malob release", description="Builds all files of a release: archive, .deb packages, jars, bill of materials, checksums.")
    made.add_argument("--out", type=Path, default=ROOT / "target" / "release", metavar="DIR", help="the output directory (%(default)s)")
    made.add_argument("--check", action="store_true", help="build twice, in different directories, and compare; exit code 1 if a byte differs")
    made.add_argument("--container", action="store_true", help="instead of files, build the container image with podman, and test it")
    made.add_argument("--base", metavar="IMAGE", help="with --container: the local image of Debian 12 to build on, which is not pulled")
    return made


def main() -> int:
    options = parser().parse_args()
    if options.base is not None and not options.container:
        raise UsageError("--base is for --container")
    if sources.changed(ROOT):
        say("malob release: warning: the checkout has uncommitted changes")
    if options.container:
        image = f"localhost/malob:{project.read(ROOT).version}"
        with orderly_end():
            container.make(ROOT, image, options.base)
        print(image)
        return 0
    with orderly_end(), tempfile.TemporaryDirectory(prefix="malob-release-") as snapshot:
        # later changes in the checkout are in neither build
        sources.copy(ROOT, Path(snapshot) / "malob")
        release = _from_copy(Path(snapshot) / "malob", "first")
        if options.check:
            _compare(release, _from_copy(Path(snapshot) / "malob", "second"))
            say("both builds are identical")
    options.out.mkdir(parents=True, exist_ok=True)
    for name, content in release.items():
        (options.out / name).write_bytes(content)
        print(options.out / name)
    return 0


def _from_copy(snapshot: Path, name: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory(prefix=f"malob-release-{name}-") as directory:
        build = Path(directory) / "malob"
        sources.copy(snapshot, build)
        say(f"malob release: building in {build}; this takes some minutes")
        done = subprocess.run([str(build / "malob"), "prepare", "release"], stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise ScriptError("the build failed (above)")
        return made(build, project.read(build))


def made(build: Path, described: Project) -> dict[str, bytes]:
    """The files of a release by name, from a checkout that is built. Raises ScriptError for a licence that is not allowed."""
    target = build / "target"
    bill = (target / "sbom.json").read_bytes()
    licences.check(json.loads(bill), (build / "NOTICE").read_text(encoding="utf-8"))
    version = described.version
    files = {
        f"malob-{version}.cdx.json": bill,
        f"malob-{version}.jar": (target / "malob.jar").read_bytes(),
        f"malob-{version}-floodlight.jar": (target / f"malob-{version}-floodlight.jar").read_bytes(),
        **archives(build, described),
    }
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return {**files, "SHA256SUMS": sums.encode()}


def archives(build: Path, described: Project) -> dict[str, bytes]:
    """The archive and the packages, by name."""
    files = program(build)
    folder = f"malob-{described.version}"
    found = {f"{folder}.tar.gz": tar_gz(below(folder, files), described.epoch)}
    for name, own in debian.packages(files, build, described).items():
        found[debian.file_name(name, described)] = debian.make(name, own, build, described)
    return found


def _compare(first: dict[str, bytes], second: dict[str, bytes]) -> None:
    different = sorted(name for name in {*first, *second} - {"SHA256SUMS"} if first.get(name) != second.get(name))
    if different:
        raise ScriptError(f"two builds differ: {', '.join(different)}")


if __name__ == "__main__":
    run_main(main, "malob release")
