"""Which folder of scripts/ may import which others."""

from __future__ import annotations

import ast
import sys
import tempfile
import unittest
from collections.abc import Iterator, Mapping
from pathlib import Path

from malob.system.place import ROOT

_SCRIPTS = ROOT / "scripts"

#: By folder: the imports that are allowed besides the standard library and the same folder.
_FOLDERS: Mapping[str, frozenset[str]] = {
    # modules beside an agent are found by their own names: the folder is copied without the rest
    "agents": frozenset({"measuring", "reporting"}),
    "malob": frozenset(),
    "lab": frozenset({"malob", "mininet"}),
    "research": frozenset({"malob", "lab", "matplotlib", "lxml", "numpy", "scipy", "os_ken", "pyftpdlib"}),
    "tools": frozenset({"malob"}),
}

#: The parts of malob, each of which may import those above it, and itself.
_PARTS = ("errors", "system", "network", "rest", "endhost", "cli")
#: Packages of malob that do not know each other though one is above the other.
_APART = {("rest", "network")}

#: What imports a module that its text does not name, and the only module that may: the launcher's table of commands.
_DYNAMIC = frozenset({"importlib", "runpy", "pkgutil", "imp", "__import__"})
_MAY_BE_DYNAMIC = frozenset({"malob/cli/commands.py"})


def violations(scripts: Path) -> list[str]:
    """All imports against the direction, as FILE:LINE: error, including those in functions and under conditions."""
    found = []
    for path in sorted(scripts.rglob("*.py")):
        place = path.relative_to(scripts)
        folder = place.parts[0]
        if folder == "tests":
            continue
        for line, module in _imports(path):
            wrong = _wrong(place, module) if folder in _FOLDERS or len(place.parts) == 1 else f"scripts/{folder} is no layer"
            if wrong:
                found.append(f"{place}:{line}: {wrong}")
    return found


def _wrong(place: Path, module: str) -> str:
    """The error of importing that module there; empty if it is allowed."""
    folder, top = place.parts[0], module.partition(".")[0]
    if top == "":
        return "a relative import"
    if top in _DYNAMIC and len(place.parts) > 1 and place.as_posix() not in _MAY_BE_DYNAMIC:
        return f"{top} can import anything"
    if top in sys.stdlib_module_names:
        return ""
    if folder == "malob" and top == "malob":
        return _wrong_part(place, module)
    if len(place.parts) > 1 and ((top == folder and folder != "agents") or top in _FOLDERS[folder]):
        return ""
    return f"{folder} must not import {module}"


def _wrong_part(place: Path, module: str) -> str:
    if len(place.parts) == 2 and place.name == "__init__.py":
        return "the package itself imports nothing"
    here = place.parts[1].removesuffix(".py")
    there = module.split(".")[1] if "." in module else ""
    if here not in _PARTS or there not in _PARTS:
        return f"malob.{here} or {module} is no part of malob that this test knows"
    if _PARTS.index(there) > _PARTS.index(here) or (here, there) in _APART:
        return f"malob.{here} must not import {module}"
    return ""


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the module of each import of a file; "." before the name of one that is relative."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and (node.level or node.module is None):
            yield node.lineno, "." * node.level + (node.module or "")
        elif isinstance(node, ast.ImportFrom):
            # from malob import cli names a part as well
            for alias in node.names if node.module == "malob" else node.names[:1]:
                yield node.lineno, f"malob.{alias.name}" if node.module == "malob" else str(node.module)
        elif isinstance(node, ast.Name) and node.id == "__import__":
            yield node.lineno, node.id


@unittest.skipUnless(hasattr(sys, "stdlib_module_names"), "Python 3.10 is the first that knows its standard library")
class LayersTest(unittest.TestCase):
    def test_imports_lead_downwards_only(self) -> None:
        self.assertEqual([], violations(_SCRIPTS))

    def test_each_folder_is_a_layer(self) -> None:
        folders = {path.name for path in _SCRIPTS.iterdir() if path.is_dir() and path.name != "__pycache__" and not path.name.startswith(".")}
        self.assertEqual({*_FOLDERS, "tests"}, folders)
        self.assertGreater(sum(1 for _ in _SCRIPTS.rglob("*.py")), 300, "files that are looked at")

    def test_wrong_imports_are_found_by_file_and_line(self) -> None:
        for place, text, wrong in (
            ("malob/cli/x.py", "import os\nimport lab.instance\n", "2: malob must not import lab.instance"),
            ("malob/endhost/x.py", "def late():\n    from lab import ovs\n", "2: malob must not import lab"),
            ("malob/rest/x.py", "if True:\n    import numpy as np\n", "2: malob must not import numpy"),
            ("malob/system/x.py", "from malob.rest.client import RestError\n", "1: malob.system must not import malob.rest.client"),
            ("malob/system/x.py", "import os\nfrom malob import errors, cli\n", "2: malob.system must not import malob.cli"),
            ("malob/rest/x.py", "import malob.network.topology\n", "1: malob.rest must not import malob.network.topology"),
            ("malob/other/x.py", "from malob.errors import ScriptError\n", "1: malob.other or malob.errors is no part"),
            ("malob/cli/x.py", "try:\n    pass\nfinally:\n    import tests.counts\n", "4: malob must not import tests.counts"),
            ("malob/cli/x.py", "from . import table\n", "1: a relative import"),
            ("lab/x.py", "import importlib\n", "1: importlib can import anything"),
            ("lab/x.py", "found = __import__('research')\n", "1: __import__ can import anything"),
            ("lab/demo/x.py", "from research.experiments import site\n", "1: lab must not import research.experiments"),
            ("lab/x.py", "import matplotlib\n", "1: lab must not import matplotlib"),
            ("research/x.py", "from tools.docs import pages\n", "1: research must not import tools.docs"),
            ("research/x.py", "import requests\n", "1: research must not import requests"),
            ("tools/x.py", "class A:\n    def b(self):\n        import lab\n", "3: tools must not import lab"),
            ("agents/x.py", "from malob.errors import ScriptError\n", "1: agents must not import malob.errors"),
            ("agents/x.py", "import agents.reporting\n", "1: agents must not import agents.reporting"),
            ("base/x.py", "import os\n", "1: scripts/base is no layer"),
            ("command.py", "import malob.errors\n", "1: command.py must not import malob.errors"),
        ):
            with self.subTest(place=place, text=text), tempfile.TemporaryDirectory() as directory:
                file = Path(directory, place)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                [found] = violations(Path(directory))
                self.assertTrue(found.startswith(f"{place}:{wrong}"), found)

    def test_right_imports_are_none(self) -> None:
        for place, text in (
            ("malob/cli/x.py", "from malob import errors\nfrom malob.endhost import place\nimport json\n"),
            ("malob/endhost/x.py", "from malob.rest.client import RestClient\nfrom malob.system import ovs\n"),
            ("lab/x.py", "from malob.cli import table\nfrom lab import instance\nfrom mininet.topo import Topo\n"),
            ("research/x.py", "import matplotlib.pyplot\nfrom lab import balancing\nfrom research.bench import usage\n"),
            ("tools/x.py", "from tools.docs import pages\nfrom malob.errors import run_main\n"),
            ("agents/x.py", "from reporting.delivery import Sender\nimport socket\n"),
            ("tests/unit/x.py", "import tools.release\nimport research.bench\nimport hypothesis\n"),
            ("command.py", "import runpy\n"),
        ):
            with self.subTest(place=place), tempfile.TemporaryDirectory() as directory:
                file = Path(directory, place)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                self.assertEqual([], violations(Path(directory)))


if __name__ == "__main__":
    unittest.main()
