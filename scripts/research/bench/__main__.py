"""`./malob bench NAME` for what is measured on Open vSwitch: which of them is meant."""

from __future__ import annotations

import sys

from malob.errors import UsageError, run_main
from research.bench import endhost_command, faults_command, open_vswitch_command
from research.bench.soak import command as soak_command

_COMMANDS = {
    "endhost": endhost_command.main,
    "faults": faults_command.main,
    "open-vswitch": open_vswitch_command.main,
    "soak": soak_command.main,
}


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in _COMMANDS:
        raise UsageError(f"expected {' or '.join(_COMMANDS)}, not '{name}'")
    return _COMMANDS[name](sys.argv[2:])


if __name__ == "__main__":
    run_main(main, "malob bench")
