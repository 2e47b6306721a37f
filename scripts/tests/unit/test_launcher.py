"""The parts of ./malob in bash."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from malob.system.place import ROOT
from malob.system.waiting import wait_until


class ProgressTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name, "seconds")

    def _script(self, command: str) -> list[str]:
        return [
            "bash",
            "-c",
            f"""
            set -euo pipefail
            as_owner() {{ "$@"; }}
            . {ROOT}/scripts/malob/launcher/progress.sh
            with_progress "building" {self.file} {command} || exit $?""",
        ]

    def _on_terminal(self, command: str) -> tuple[int, str]:
        child, terminal = pty.fork()
        if child == 0:
            os.execvp("bash", self._script(command))
        shown = b""
        while True:
            try:
                shown += os.read(terminal, 1000)
            except OSError:  # the other end is closed
                break
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()

    def test_terminal_shows_the_time_left_by_the_last_time(self) -> None:
        self.file.write_text("90\n")
        code, shown = self._on_terminal("sleep 0.5")
        self.assertEqual(0, code)
        self.assertTrue(shown.startswith("\r\033[K[........................] building, about 1 min 30 s left"), repr(shown))
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown))
        self.assertEqual(1, len(self.file.read_text().split()))
        self.assertLess(int(self.file.read_text()), 90)

    def test_failure_is_passed_on_and_its_time_forgotten(self) -> None:
        self.file.write_text("nonsense\n")
        code, shown = self._on_terminal("bash -c 'sleep 0.2; exit 3'")
        self.assertEqual(3, code)
        self.assertIn("about 2 min 00 s left", shown)
        self.assertEqual("nonsense\n", self.file.read_text())

    def test_elsewhere_is_quiet(self) -> None:
        done = subprocess.run(self._script("bash -c 'echo out; echo err >&2; exit 4'"), capture_output=True, text=True)
        self.assertEqual((4, "out\n", "err\n"), (done.returncode, done.stdout, done.stderr))
        self.assertFalse(self.file.exists())


#: A maintainer script that would start a service, and restart one.
_APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$PLACE/calls"
case $* in *install*) ;; *) exit 0 ;; esac
for action in start restart; do
  code=0
  [ ! -x "$PLACE/policy-rc.d" ] || "$PLACE/policy-rc.d" nothing.service $action || code=$?
  echo "$action $code" >>"$PLACE/asked"
done
[ ! -e "$PLACE/slow" ] || sleep 60
printf '#!/bin/sh\\n' >"$PLACE/nothing"
chmod +x "$PLACE/nothing"
"""

_NEED = """
set -euo pipefail
say() { printf 'malob: %s\\n' "$*" >&2; }
fail() { local code=$1; shift; say "$*"; exit "$code"; }
id() { echo "$USER_ID"; }
MALOB_ROOT=$ROOT
. "$ROOT/scripts/malob/launcher/packages.sh"
package_of() { echo "nothing-light nothing|does nothing"; }
POLICY_FILE=$PLACE/policy-rc.d
need_packages testing nothing
"""


class InstallTest(unittest.TestCase):
    """need_packages with an apt-get that is made up."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.policy = self.place / "policy-rc.d"
        for name, text in (
            ("apt-get", _APT_GET),
            ("apt-cache", "#!/bin/sh\n"),
            ("sudo", '#!/bin/sh\necho "sudo $*" >>"$PLACE/calls"\n[ "$1" != -n ] || shift\nexec "$@"\n'),
        ):
            (self.place / name).write_text(text)
            (self.place / name).chmod(0o755)

    def environment(self, user_id: int, more: dict[str, str]) -> dict[str, str]:
        known = {name: value for name, value in os.environ.items() if name not in ("CI", "MALOB_YES", "DEBIAN_FRONTEND")}
        return {
            **known,
            "PATH": f"{self.place}:{os.environ['PATH']}",
            "PLACE": str(self.place),
            "ROOT": str(ROOT),
            "USER_ID": str(user_id),
            "MALOB_INSTALL_LOCK": str(self.place / "lock"),
            **more,
        }

    def without_terminal(self, user_id: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", _NEED], env=self.environment(user_id, more), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )

    def on_terminal(self, typed: str, user_id: int = 0, **more: str) -> tuple[int, str]:
        child, terminal = pty.fork()
        if child == 0:
            os.execvpe("bash", ["bash", "-c", _NEED], self.environment(user_id, more))
        os.write(terminal, typed.encode())
        shown = b""
        while True:
            try:
                shown += os.read(terminal, 1000)
            except OSError:  # the other end is closed
                break
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()

    def calls(self) -> list[str]:
        file = self.place / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def asked(self) -> list[str]:
        return (self.place / "asked").read_text().splitlines()

    def test_terminal_is_asked_and_yes_is_the_default(self) -> None:
        for answer in ("\n", "y\n", "Yes\n"):
            (self.place / "nothing").unlink(missing_ok=True)
            code, shown = self.on_terminal(answer)
            self.assertEqual(0, code, shown)
            self.assertIn("malob: testing: nothing is missing; it does nothing", shown)
            self.assertIn("malob: install nothing-light and their dependencies with apt-get? [Y/n]", shown)
        self.assertEqual(3, len([call for call in self.calls() if call.endswith("install nothing-light")]))

    def test_nothing_is_installed_without_a_yes(self) -> None:
        for answer in ("n\n", "what?\n", "\x04"):
            code, shown = self.on_terminal(answer)
            self.assertEqual(3, code, shown)
            self.assertIn("run as root: apt-get install nothing-light; or let MALOB do it: ./malob --yes …, or MALOB_YES=1", shown)
        self.assertEqual([], self.calls())

    def test_no_question_where_the_answer_is_known(self) -> None:
        for known in ({"MALOB_YES": "1"}, {"CI": "true"}, {"DEBIAN_FRONTEND": "noninteractive"}):
            (self.place / "nothing").unlink(missing_ok=True)
            code, shown = self.on_terminal("", 0, **known)
            self.assertEqual((0, False), (code, "[Y/n]" in shown), shown)

    def test_without_a_terminal_root_goes_on_and_says_what(self) -> None:
        done = self.without_terminal()
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("malob: installing: nothing-light\n", done.stderr)

    def test_without_a_terminal_others_become_root_only_if_told(self) -> None:
        done = self.without_terminal(1000)
        self.assertEqual((3, []), (done.returncode, self.calls()), done.stderr)
        self.assertIn("run as root: apt-get install nothing-light; or let MALOB do it: ./malob --yes", done.stderr)
        done = self.without_terminal(1000, MALOB_YES="1")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("sudo -n true", self.calls()[0])

    def test_services_are_not_started_and_those_that_run_may_be_restarted(self) -> None:
        self.without_terminal()
        self.assertEqual(["start 101", "restart 0"], self.asked())
        self.assertFalse(self.policy.exists())

    def test_policy_that_is_there_stays_and_decides(self) -> None:
        self.policy.write_text("#!/bin/sh\nexit 104\n")
        self.policy.chmod(0o755)
        done = self.without_terminal()
        self.assertIn("policy-rc.d exists already and decides which services are started", done.stderr)
        self.assertEqual(["start 104", "restart 104"], self.asked())
        self.assertEqual("#!/bin/sh\nexit 104\n", self.policy.read_text())

    def installing(self) -> subprocess.Popen[bytes]:
        """A running command, in a process group of its own."""
        (self.place / "slow").touch()
        process = subprocess.Popen(
            ["bash", str(ROOT / "scripts" / "malob" / "launcher" / "apt_install.sh"), str(self.policy), "none", "nothing"],
            env=self.environment(0, {}),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda: (self.place / "asked").exists() and len(self.asked()) == 2, "apt-get to be at work", 20, 0.02)
        self.assertTrue(self.policy.exists())
        return process

    def test_policy_goes_after_ctrl_c(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            (self.place / "asked").unlink(missing_ok=True)
            process = self.installing()
            os.killpg(process.pid, number)
            self.assertEqual(128 + number, process.wait(20))
            self.assertFalse(self.policy.exists())

    def test_policy_of_one_that_was_killed_refuses_nothing_and_the_next_removes_it(self) -> None:
        process = self.installing()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)
        self.assertEqual(0, subprocess.run([str(self.policy), "nginx.service", "start"]).returncode)
        (self.place / "slow").unlink()
        (self.place / "asked").unlink()
        self.without_terminal()
        self.assertEqual(["start 101", "restart 0"], self.asked())
        self.assertFalse(self.policy.exists())


class PreparationTest(unittest.TestCase):
    """Whether the launcher can ask when a Python program calls it."""

    def test_launcher_has_the_terminal_if_there_is_one(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            launcher = Path(directory, "malob")
            launcher.write_text("#!/bin/sh\nif [ -t 0 ]; then echo asks; else echo does not; fi\n")
            launcher.chmod(0o755)
            program = [
                sys.executable,
                "-c",
                (
                    "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from malob.system import preparation\n"
                    "preparation.ROOT = Path(sys.argv[2]); preparation.prepare('lab')"
                ),
                str(ROOT / "scripts"),
                directory,
            ]
            piped = subprocess.run(program, input="no terminal", capture_output=True, text=True, timeout=60)
            self.assertEqual("does not\n", piped.stdout, piped.stderr)
            child, terminal = pty.fork()
            if child == 0:
                os.execvp(program[0], program)
            self.assertEqual("asks", os.read(terminal, 100).decode().strip())
            os.waitpid(child, 0)
            os.close(terminal)


#: Notes its options, and makes an archive as the virtual machine does: bit by bit.
_JAVA = """#!/bin/bash
echo "$*" >>"$HOME_OF_JAVA/calls"
for word; do
  case $word in -XX:ArchiveClassesAtExit=*) archive=${word#*=} ;; esac
done
if [ -n "${archive:-}" ]; then
  printf half >"$archive"
  if [ -e "$HOME_OF_JAVA/dies" ]; then
    kill -9 $$
  elif [ -e "$HOME_OF_JAVA/slow" ]; then
    exec sleep 60
  fi
  case " $* " in *" -jar "*)
    # a controller, which runs until it is told to end
    trap 'ended=true' TERM
    echo "INFO EmbeddedController: controller_ready"
    until [ -n "${ended:-}" ]; do sleep 0.02; done
    ;;
  esac
  printf whole >"$archive"
fi
cat
"""


class ClassArchiveTest(unittest.TestCase):
    """The launcher of a release, with a Java that is made up."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home, self.root = Path(directory.name, "home"), Path(directory.name, "malob")
        for place in (self.home / "bin", self.home / "lib" / "server", self.root / "target"):
            place.mkdir(parents=True)
        self.machine, self.jar = self.home / "lib" / "server" / "libjvm.so", self.root / "target" / "malob.jar"
        for file in (self.machine, self.jar):
            file.touch()
        (self.home / "release").write_text('JAVA_VERSION="17.0.1"\n')
        (self.home / "bin" / "java").write_text(_JAVA)
        (self.home / "bin" / "java").chmod(0o755)
        (self.root / "malob").write_bytes((ROOT / "malob").read_bytes())
        (self.root / "malob").chmod(0o755)
        (self.root / "scripts").symlink_to(ROOT / "scripts")
        self.environment = {**os.environ, "JAVA_HOME": str(self.home), "HOME_OF_JAVA": str(self.home)}

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.root / "malob"), *(words or ("java", "some.Program")), "argument"],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run_program(self, *words: str) -> list[str]:
        """What Java was started for: to make an archive, with one, or without."""
        calls = self.home / "calls"
        calls.unlink(missing_ok=True)
        process = self.start(*words)
        self.assertEqual("input", process.communicate("input", 60)[0])
        self.assertEqual(0, process.returncode)
        lines = calls.read_text().splitlines()
        end = f"malob.jar --data {self.root / 'data'} argument" if words else "some.Program argument"
        self.assertTrue(lines[-1].endswith(end), lines)
        return ["makes" if "-XX:ArchiveClassesAtExit=" in line else "with" if "-XX:SharedArchiveFile=" in line else "without" for line in lines]

    def files(self) -> dict[str, str]:
        return {path.suffix: path.read_text() for path in (self.root / "target").iterdir() if path != self.jar}

    def test_archive_is_made_once(self) -> None:
        self.assertEqual(["makes", "with"], self.run_program())
        self.assertEqual({".jsa": "whole"}, self.files())
        self.assertEqual(["with"], self.run_program())

    def test_controller_has_one_as_well(self) -> None:
        self.assertEqual(["makes", "with"], self.run_program("launch", "run"))
        self.assertEqual({".jsa": "whole"}, self.files())
        self.assertEqual(["with"], self.run_program("launch", "run"))

    def test_build_or_upgrade_makes_it_anew(self) -> None:
        self.run_program()
        for file in (self.jar, self.machine):
            # what is installed keeps its old date
            new = file.with_suffix(".installed")
            new.touch()
            os.utime(new, (1, 1))
            new.replace(file)
            self.assertEqual(["makes", "with"], self.run_program())
            self.assertEqual(["with"], self.run_program())

    def test_another_java_has_one_of_its_own(self) -> None:
        self.run_program()
        other = self.home.with_name("other")
        self.home.rename(other)
        self.environment.update({"JAVA_HOME": str(other), "HOME_OF_JAVA": str(other)})
        self.home = other
        self.assertEqual(["makes", "with"], self.run_program())

    def test_java_that_cannot_make_it_is_not_asked_again(self) -> None:
        (self.home / "dies").touch()
        self.assertEqual(["makes", "without"], self.run_program())
        self.assertEqual({".jsa": ""}, self.files())
        self.assertEqual(["without"], self.run_program())

    def test_killed_start_leaves_no_archive(self) -> None:
        (self.home / "slow").touch()
        process = self.start()
        wait_until(lambda: self.files() == {".new": "half"}, "half an archive", 20, 0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)
        (self.home / "slow").unlink()
        self.assertEqual(["makes", "with"], self.run_program())
        self.assertEqual({".jsa": "whole"}, self.files())

    def test_second_start_meanwhile_does_without(self) -> None:
        (self.home / "slow").touch()
        process = self.start()
        wait_until(lambda: self.files() == {".new": "half"}, "half an archive", 20, 0.02)
        self.assertEqual(["without"], self.run_program())
        self.assertEqual({".new": "half"}, self.files())
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)

    def archive(self, *rehearsal: str) -> str:
        """What the launcher tells a Python program that starts Java itself."""
        words = [str(self.root / "malob"), "archive", "some", str(self.home / "bin" / "java"), *rehearsal]
        return subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout

    def test_program_that_starts_java_itself_has_one_if_it_names_a_rehearsal(self) -> None:
        rehearsal = ("sh", "-c", 'printf whole >"${1#*=}"', "sh")
        self.assertEqual("", self.archive())
        self.assertEqual({}, self.files())
        option = self.archive(*rehearsal)
        self.assertRegex(option, f"^-XX:SharedArchiveFile={self.root}/target/some.*\\.jsa\n$")
        self.assertEqual({".jsa": "whole"}, self.files())
        self.assertEqual((option, option), (self.archive(), self.archive("false")))

    def test_service_has_a_directory_of_its_own(self) -> None:
        cache = self.root / "cache"
        cache.mkdir()
        self.environment["MALOB_CACHE"] = str(cache)
        self.assertEqual(["makes", "with"], self.run_program("launch", "run"))
        self.assertEqual(({}, 1), (self.files(), len(list(cache.glob("*.jsa")))))

    @unittest.skipUnless(os.getuid() == 0, "needs root")
    def test_under_sudo_it_belongs_to_the_user_who_called_it(self) -> None:
        os.chown(self.root / "target", 1, 1)
        self.environment["SUDO_UID"] = "1"
        self.assertEqual(["makes", "with"], self.run_program())
        [made] = (self.root / "target").glob("*.jsa")
        self.assertEqual((1, 1), (made.stat().st_uid, made.stat().st_gid))

    def test_nothing_is_written_into_directories_of_others(self) -> None:
        if os.getuid() == 0:
            os.chown(self.root / "target", 1, 1)
        else:
            (self.root / "target").chmod(0o555)
        self.assertEqual(["without"], self.run_program())
        (self.root / "target").chmod(0o755)
        self.assertEqual({}, self.files())


class JvmOptionsTest(unittest.TestCase):
    def _collectors(self, options: str) -> list[str]:
        with tempfile.NamedTemporaryFile("w", suffix=".options") as file:
            file.write(options)
            file.flush()
            command = ["java", f"@{file.name}", "-XX:+PrintFlagsFinal", "-version"]
            flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return re.findall(r"bool (Use(?:Shenandoah|G1|Serial|Parallel|Z)GC) += true", flags)

    def test_shenandoah_or_else_what_the_virtual_machine_takes_itself(self) -> None:
        options = (ROOT / "scripts/malob/launcher/jvm.options").read_text()
        self.assertIn("-XX:+UseShenandoahGC", options)
        without = options.replace("Shenandoah", "Nonexistent")
        self.assertEqual(1, len(self._collectors(without)), "a virtual machine without Shenandoah")
        self.assertNotIn("UseShenandoahGC", self._collectors(without))
        self.assertEqual(1, len(self._collectors(options)))


if __name__ == "__main__":
    unittest.main()
