"""rehearsal.py DIRECTORY OPTION: runs an end host's controller once, with an option for the JVM; the launcher calls it."""

from __future__ import annotations

import sys
from pathlib import Path

from malob.endhost.controller import rehearse
from malob.errors import run_main
from malob.system.waiting import orderly_end


def main() -> int:
    directory, option = sys.argv[1:]
    with orderly_end():
        rehearse(Path(directory), option)
    return 0


if __name__ == "__main__":
    run_main(main, "malob endhost")
