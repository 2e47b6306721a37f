"""Only malob.system runs commands that create what only root can create; it notes that in a journal before."""

from __future__ import annotations

import ast
import re
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from malob.system.place import ROOT

_SCRIPTS = ROOT / "scripts"
_HOME = "malob/system"

_CREATING = {
    "namespace": re.compile(r"\bnetns add\b|\bunshare\b"),
    "device": re.compile(r"\b(?:link|tuntap) add\b"),
    "bridge": re.compile(r"\badd-br\b"),
    "mount": re.compile(r"^mount\b|\bmount -|\bmount [^ ]+ /"),
    "daemon": re.compile(r"^(?:\S*/)?(?:ovs-vswitchd|ovsdb-server) (?!--version)[-…/]"),
}

#: What creates all the same, and why no journal needs it.
_EXCEPTIONS = {
    ("lab/apart.py", "bridge"): "by daemons within the namespace of a switch, which is in the journal",
    ("lab/attached/routers.py", "device"): "within the namespace of a router, which is in the journal",
    ("lab/attached/segments.py", "device"): "within the namespace of a legacy switch, which is in the journal",
    ("lab/attached/uplinks.py", "bridge"): "with columns of its own; the journal is told before",
    ("lab/malob_mn.py", "namespace"): "a trial in a namespace without a name, which ends with the command",
    ("lab/multihomed.py", "mount"): "the mounts of a process's own, which end with it; the process is bound to us",
    ("malob/cli/doctor.py", "namespace"): "a trial in a namespace without a name, which ends with the command",
    ("research/testbed/rehearsal.py", "mount"): "the mounts of a process's own, which end with it",
    ("research/testbed/rehearsal.py", "namespace"): "unshare --mount: as above",
}


def creating(scripts: Path) -> set[tuple[str, str]]:
    """The files that run such commands, and what they create."""
    found = set()
    for path in sorted([*scripts.rglob("*.py"), *scripts.rglob("*.sh")]):
        place = path.relative_to(scripts).as_posix()
        if not place.startswith((f"{_HOME}/", "tests/")):
            text = path.read_text(encoding="utf-8")
            commands = _commands(ast.parse(text)) if path.suffix == ".py" else iter([text])
            found |= {(place, what) for words in commands for line in words.splitlines() for what, sign in _CREATING.items() if sign.search(line)}
    return found


def _commands(tree: ast.AST) -> Iterator[str]:
    """The texts of a program, and its lists as if each were a command line; "…" for what is not known. Not docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.List):
            yield " ".join(_word(each) for each in node.elts)
        elif isinstance(node, ast.Call):
            # words that are passed on one by one; not a command from its beginning on
            yield "(" + " ".join(_word(each) for each in node.args)
        elif isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in docstrings:
            yield _word(node)


def _word(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_word(each) for each in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "…"


class CreatingTest(unittest.TestCase):
    def test_only_one_module_creates_and_the_exceptions_are_as_listed(self) -> None:
        self.assertEqual(set(_EXCEPTIONS), creating(_SCRIPTS))

    def test_commands_are_found_however_they_are_written(self) -> None:
        for text, what in (
            ('run(["ip", "netns", "add", name])', {"namespace"}),
            ('run(["ip", "-n", here, "link", "add", a, "type", "veth"])', {"device"}),
            ('run(f"ip link add {a} type veth".split())', {"device"}),
            ('text = f"""\nip link set lo up\nip netns add {name}\n"""', {"namespace"}),
            ('ovs.vsctl("add-br", name)', {"bridge"}),
            ('yield ["add-br", name]', {"bridge"}),
            ('run(["mount", "-t", "tmpfs", "none", place])', {"mount"}),
            ("text = f\"mount --bind '{here}' {there}\"", {"mount"}),
            ('run(["unshare", "--net", "true"])', {"namespace"}),
            ('run(["ovs-vswitchd", address, "--detach"])', {"daemon"}),
            ('def f():\n    """Where ip link add is run."""\n    run(["ip", "link", "set", "lo", "up"])', set()),
            ('run(["ovs-vswitchd", "--version"])\nprint("ovs-vswitchd")\nprint("the mount point")', set()),
        ):
            with self.subTest(text), tempfile.TemporaryDirectory() as directory:
                for place in ("lab/x.py", "malob/system/x.py", "tests/x.py"):
                    file = Path(directory, place)
                    file.parent.mkdir(parents=True)
                    file.write_text(text)
                self.assertEqual({("lab/x.py", each) for each in what}, creating(Path(directory)))

    def test_command_in_bash_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "x.sh").write_text("set -e\nip link add a type veth peer name b\n")
            self.assertEqual({("x.sh", "device")}, creating(Path(directory)))


if __name__ == "__main__":
    unittest.main()
