from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

from lab.simulations import SIMULATIONS
from malob.cli import commands, java, usage
from malob.cli.completion import reference
from malob.cli.completion.engine import Completion, complete
from malob.cli.completion.sources import SOURCES
from malob.cli.kinds import KINDS
from malob.cli.test import FUZZ_TARGETS
from malob.errors import ScriptError
from malob.system.place import ROOT
from research.bench import __main__ as bench
from research.bench.__main__ import MOVED_BENCHMARKS
from tests.unit.answering import answering
from tools.reference import java_options

_IDS = {"vip": lambda words: ["web", "ftp"], "pool": lambda words: ["p"]}


def _words(*words: str) -> list[str]:
    return [each.word for each in complete(words, _IDS).candidates]


class EngineTest(unittest.TestCase):
    def test_first_word_is_a_command(self) -> None:
        self.assertEqual(["connections", "config", "completion"], sorted(_words("co"), reverse=True))

    def test_action_has_its_help(self) -> None:
        self.assertEqual(
            [("show", "show one with all its fields"), ("set", "change the given fields")],
            [(each.word, each.help) for each in complete(["vip", "s"], _IDS).candidates],
        )

    def test_ids_come_from_the_source_of_their_kind(self) -> None:
        self.assertEqual(["web", "ftp"], _words("vip", "show", ""))
        self.assertEqual(["web"], _words("pool", "set", "p", "--vip", "w"))
        self.assertEqual(["--pool=p"], _words("member", "add", "--pool="))

    def test_several_ids_and_no_more_than_one(self) -> None:
        self.assertEqual(["web", "ftp"], _words("vip", "rm", "web", ""))
        self.assertNotIn("web", _words("vip", "show", "web", ""))

    def test_option_is_offered_once_unless_it_may_be_repeated(self) -> None:
        self.assertNotIn("--port", _words("vip", "set", "web", "--port", "80", "--p"))
        self.assertIn("--unset", _words("vip", "set", "web", "--unset", "port", "--u"))

    def test_value_of_an_option_is_no_positional(self) -> None:
        self.assertEqual(["web", "ftp"], _words("vip", "show", "--url", "http://x", ""))
        self.assertEqual(["web", "ftp"], _words("vip", "show", "--url=http://x", ""))
        self.assertEqual([], _words("vip", "show", "--url", ""))

    def test_flag_has_no_value(self) -> None:
        self.assertEqual(["web", "ftp"], _words("vip", "show", "--json", ""))

    def test_choices_are_offered(self) -> None:
        self.assertEqual(["up", "drain", "down"], _words("member", "set", "a", "--admin-state", ""))

    def test_option_whose_value_may_be_absent_lets_options_follow(self) -> None:
        self.assertIn("--url", _words("status", "--watch", "--"))

    def test_files_are_the_shells_to_offer(self) -> None:
        self.assertEqual(Completion([], files=True), complete(["apply", ""], _IDS))
        self.assertTrue(complete(["run", "-cf", ""], _IDS).files)
        self.assertTrue(complete(["lab", "exec", "h1", "cat", ""], _IDS).files)

    def test_unknown_command_has_nothing(self) -> None:
        self.assertEqual(Completion(), complete(["frobnicate", ""], _IDS))


class SourcesTest(unittest.TestCase):
    def test_ids_are_those_of_the_controller_that_is_meant(self) -> None:
        with answering(lambda path: (200, [{"id": path}])) as port:
            self.assertEqual(["/quantum/v1.0/vips/"], SOURCES["vip"](["vip", "rm", "--url", f"http://127.0.0.1:{port}"]))

    def test_algorithms_are_those_of_the_controller(self) -> None:
        with answering(lambda path: (200, [{"name": path, "description": ""}])) as port:
            self.assertEqual(["/wm/malob/algorithms"], SOURCES["algorithm"](["vip", "add", "--url", f"http://127.0.0.1:{port}"]))

    def test_what_can_be_named_has_a_source(self) -> None:
        named = {field.refers for kind in KINDS.values() for field in kind.fields if field.refers}
        self.assertEqual({"load-balancer", "vip", "pool", "algorithm"}, named)
        self.assertLessEqual(named, set(SOURCES))

    def test_no_controller_has_no_ids(self) -> None:
        with answering(lambda path: (200, [])) as port:
            pass
        self.assertEqual([], SOURCES["pool"](["--http", f"127.0.0.1:{port}"]))
        self.assertEqual([], SOURCES["pool"](["--url", "nonsense"]))

    def test_topologies_are_those_of_the_lab(self) -> None:
        self.assertIn("mesh5", SOURCES["topology"]([]))


class CommandsTest(unittest.TestCase):
    def test_each_command_has_a_parser_of_its_name(self) -> None:
        for command in commands.here():
            with self.subTest(command.name):
                self.assertEqual(f"malob {command.name}", command.parser().prog)

    def test_help_names_all_commands_and_what_can_follow(self) -> None:
        lines = usage.text().splitlines()
        named = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
        self.assertEqual([*(command.name for command in commands.here()), "help", "version"], named)
        self.assertIn("list, show, add, set, rm, drain", "\n".join(lines))
        self.assertIn("[--data DIR]", "\n".join(lines))

    def test_no_command_is_one_of_the_launchers_own(self) -> None:
        """what ./malob does before it asks Python"""
        cases = (ROOT / "malob").read_text().partition("\nmain() {")[2].partition("esac")[0]
        own = set(re.findall(r"^    ([a-z]+)\)", cases, re.M))
        self.assertEqual({"prepare", "java", "archive", "launch"}, own)
        self.assertFalse(own & {command.name for command in commands.here()})

    def test_what_a_release_lacks_is_said(self) -> None:
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(commands, "ROOT", Path(directory)):
            Path(directory, "scripts", "malob").mkdir(parents=True)
            self.assertNotIn("demo", [command.name for command in commands.here()])
            for words, code, sentence in (
                (["lab", "run"], 3, "'lab run' needs scripts/research, which releases and packages do not contain: use a checkout"),
                (["bench", "list"], 3, "'bench' needs bench, which releases and packages do not contain: use a checkout"),
                (["test", "--unit"], 1, "test: a release has no sources and no tests; use a checkout"),
                (["test", "--fuzz"], 1, "test --fuzz: a release has no sources and no tests; use a checkout"),
                (["lab", "simulate", "fluid"], 1, "lab simulate: a release has no sources and no tests; use a checkout"),
            ):
                with self.subTest(words), self.assertRaises(ScriptError) as caught:
                    commands.find(words).check()  # type: ignore[union-attr]
                self.assertEqual((code, sentence), (caught.exception.exit_code, str(caught.exception)))

    def test_benchmarks_are_those_of_bench(self) -> None:
        sources = (ROOT / "bench/src/main/java/io/malob/bench").glob("*Command.java")
        names = {name for source in sources for name in re.findall(r'\b(?:NAME|name) = "([a-z-]+)"', source.read_text())}
        self.assertEqual(names - {"responder"}, set(java.programs("bench")))

    def test_simulations_are_those_of_simulations(self) -> None:
        sources = (ROOT / "simulations/src/main/java/io/malob/simulation").glob("*Command.java")
        names = {name for source in sources for name in re.findall(r'\bNAME = "([a-z-]+)"', source.read_text())}
        self.assertEqual(names, set(SIMULATIONS))

    def test_targets_of_fuzzing_are_those_of_the_tests(self) -> None:
        source = (ROOT / "src/test/java/io/malob/fuzz/FuzzCommand.java").read_text()
        self.assertEqual([name.lower() for name in re.findall(r"^    ([A-Z]+)\(", source, re.M)], list(FUZZ_TARGETS))

    def test_what_was_a_benchmark_is_one_no_more(self) -> None:
        """its old name still works, and leads on"""
        self.assertFalse(set(java.programs("bench")) & set(MOVED_BENCHMARKS))
        for name in MOVED_BENCHMARKS:
            with mock.patch("sys.argv", ["x", name, "--seeds", "1"]), mock.patch.object(java, "become", side_effect=SystemExit) as become:
                with self.subTest(name), self.assertRaises(SystemExit), redirect_stderr(io.StringIO()) as said:
                    bench.main()
            self.assertEqual(("fuzz", ["--seeds", "1"]) if name == "fuzz" else ("simulate", [name, "--seeds", "1"]), become.call_args.args[:2])
            self.assertEqual(f"malob: 'bench {name}' is deprecated: use '{MOVED_BENCHMARKS[name]}'\n", said.getvalue())

    def test_options_of_run_are_those_of_the_controller(self) -> None:
        source = (ROOT / "src/main/java/io/malob/controller/Main.java").read_text()
        options = {name for line in re.findall(r"names = (.*),$", source, re.M) for name in re.findall(r'"(-[^"]+)"', line)}
        parser = commands.find(["run"]).parser()  # type: ignore[union-attr]
        known = {name for argument in parser.arguments for name in argument.action.option_strings}
        self.assertEqual(options, known - {"-h", "--help"})

    def test_options_of_java_are_those_of_the_programs(self) -> None:
        """python3 scripts/command.py tools.reference.java_options --write writes them anew"""
        if not java_options.are_built():
            self.skipTest("the programs are not built; ./malob test builds them")
        self.assertEqual(java.FILE.read_text(encoding="utf-8"), java_options.text())


class ReferenceTest(unittest.TestCase):
    def test_page_has_every_command_and_option(self) -> None:
        page = reference.page()
        for command in commands.here():
            with self.subTest(command=command.name):
                section = page.partition(f"\n## malob {command.name}\n")[2].partition("\n## ")[0]
                self.assertIn(f"\n    malob {command.name}", section)
                self.assertEqual(
                    [],
                    [
                        action.dest
                        for argument in command.parser().arguments
                        for action in [argument.action]
                        if action.help
                        and argument.is_public
                        and action.dest not in {"help", "url", "http"}
                        and argument.form.replace("|", "\\|") not in section
                    ],
                )


class ShellTest(unittest.TestCase):
    """The scripts in the shells themselves, with the launcher, and a controller that has two VIPs."""

    def _shell(self, shell: str, script: str, *words: str) -> list[str]:
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        with answering(lambda path: (200, [{"id": "web"}, {"id": "a:b"}])) as port:
            environment = {**os.environ, "MALOB_URL": f"http://127.0.0.1:{port}"}
            done = subprocess.run([shell, "-c", script, *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual("", done.stderr)
        return [line.split("\t")[0].strip() for line in done.stdout.splitlines()]

    def _bash(self, line: str, words: Sequence[str]) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in words)
        return self._shell(
            "bash",
            f"""
            compopt() {{ printf 'compopt %s\\n' "$*"; }}
            source <(./malob completion bash)
            COMP_LINE='{line}' COMP_POINT={len(line)} COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}
            _malob; printf '%s\\n' "${{COMPREPLY[@]}}" """,
        )

    def test_bash_offers_ids(self) -> None:
        self.assertEqual(["web", "a:b"], self._bash("./malob vip show ", ["./malob", "vip", "show", ""]))

    def test_bash_puts_in_only_what_is_behind_a_colon_or_equals_sign(self) -> None:
        self.assertEqual(["b"], self._bash("./malob vip show a:", ["./malob", "vip", "show", "a", ":"]))
        self.assertEqual(["web"], self._bash("./malob pool add --vip=w", ["./malob", "pool", "add", "--vip", "=", "w"]))

    def test_bash_offers_files(self) -> None:
        self.assertEqual(["compopt -o default", ""], self._bash("./malob apply ", ["./malob", "apply", ""]))

    def test_fish_offers_ids_and_options(self) -> None:
        script = "./malob completion fish | source; complete -C './malob vip show '; complete -C './malob member drain --w'"
        self.assertEqual(["a:b", "web", "--wait"], self._shell("fish", script))

    def test_zsh_offers_ids(self) -> None:
        script = r"""
            compdef() { }
            _describe() { print -rl -- "${(@P)${@[-1]}}" }
            source <(./malob completion zsh)
            words=(./malob vip show ''); CURRENT=4; _malob"""
        self.assertEqual([r"web:", r"a\:b:"], self._shell("zsh", script))

    def test_zsh_offers_files(self) -> None:
        script = r"""
            compdef() { }; _files() { print files }; _describe() { }
            source <(./malob completion zsh)
            words=(./malob apply ''); CURRENT=3; _malob"""
        self.assertEqual(["files"], self._shell("zsh", script))


if __name__ == "__main__":
    unittest.main()
