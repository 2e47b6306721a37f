"""Packages with services, installed by the launcher on a copy of this machine's file system."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from malob.system.place import ROOT
from malob.system.processes import run
from tests.system.overlay import OverlayRoot

_NAME = "malob-test-service"
_POLICY = "/usr/sbin/policy-rc.d"
_INIT = f"""#!/bin/sh
### BEGIN INIT INFO
# Provides: {_NAME}
# Required-Start:
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
### END INIT INFO
echo "$1" >>/tmp/service
"""
_POSTINST = f"""#!/bin/sh
set -e
update-rc.d {_NAME} defaults >/dev/null
invoke-rc.d {_NAME} start
"""
#: Stands for apt-get, which would have to fetch the package.
_APT_GET = "#!/bin/sh\nexec dpkg --force-unsafe-io --install /tmp/service.deb\n"


class ServicesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.root = OverlayRoot()
        self.addCleanup(self.root.close)
        # images of containers have one that refuses everything
        self.root.run("rm", "-f", _POLICY)
        self.root.write("/tmp/service.deb", self.package())
        self.root.write("/tmp/apt_install.sh", (ROOT / "scripts/malob/launcher/apt_install.sh").read_bytes())
        # no machine runs there that could say its runlevel
        for path, text in (("/usr/local/sbin/apt-get", _APT_GET), ("/sbin/runlevel", "#!/bin/sh\necho N 3\n")):
            self.root.run("rm", "-f", path)
            self.root.write(path, text.encode())
            self.root.run("chmod", "755", path)

    def package(self) -> bytes:
        with tempfile.TemporaryDirectory() as directory:
            stage = Path(directory, "stage")
            for path, text, mode in (
                ("DEBIAN/control", f"Package: {_NAME}\nVersion: 1\nArchitecture: all\nMaintainer: x <x@localhost>\nDescription: x\n", 0o644),
                ("DEBIAN/postinst", _POSTINST, 0o755),
                (f"etc/init.d/{_NAME}", _INIT, 0o755),
            ):
                file = stage / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                file.chmod(mode)
            stage.chmod(0o755)
            run(["dpkg-deb", "--root-owner-group", "--build", str(stage), f"{directory}/x.deb"])
            return Path(directory, "x.deb").read_bytes()

    def starts_with_the_machine(self) -> bool:
        return bool(self.root.run("find", "/etc/rc3.d", "-name", f"S*{_NAME}"))

    def test_package_by_itself_starts_its_service(self) -> None:
        """so that the other test can fail"""
        self.root.run("/usr/local/sbin/apt-get")
        self.assertEqual("start\n", self.root.run("cat", "/tmp/service"))
        self.assertTrue(self.starts_with_the_machine())

    def test_service_is_neither_started_nor_enabled(self) -> None:
        """nginx, for one, which would take port 80"""
        said = self.root.run(
            "env", "PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin", "bash", "/tmp/apt_install.sh", _POLICY, f"nginx,{_NAME}", _NAME
        )
        self.assertIn("ok installed", self.root.run("dpkg-query", "-W", "-f", "${Status}", _NAME))
        self.assertFalse(self.root.exists("/tmp/service"), said)
        self.assertFalse(self.starts_with_the_machine(), said)
        self.assertFalse(self.root.exists(_POLICY), said)


if __name__ == "__main__":
    unittest.main()
