"""Plays a trace on one direction of a link that netem shapes. Ended by the lab; needs only Python.

usage: netem_player.py PLAN, a file {"period_s": S, "steps": [[SECONDS, COMMAND], ...]}
"""

import json
import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text())
    began = time.monotonic()
    while True:
        for seconds, command in plan["steps"]:
            time.sleep(max(0.0, began + seconds - time.monotonic()))
            subprocess.run(command, check=True)
        began += plan["period_s"]


if __name__ == "__main__":
    main()
