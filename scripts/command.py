"""Runs a module beside this file: command.py MODULE ARGUMENT... (called by ../malob).

Not `python3 -m`, which would prefer a directory of that name wherever the user happens to be.
"""

import runpy
import sys

if __name__ == "__main__":
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
