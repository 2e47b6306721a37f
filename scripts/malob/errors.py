"""Expected failures, and how they end a program: one line on stderr and an exit code."""

from __future__ import annotations

import sys
from typing import Callable


class ScriptError(Exception):
    """Something failed, or a check did not hold. The text is one sentence for the user."""

    exit_code = 1


class UsageError(ScriptError):
    """The command line, or a file that it names, is wrong."""

    exit_code = 2


class MissingError(ScriptError):
    """A requirement is missing: a program, root, a free port."""

    exit_code = 3


def run_main(main: Callable[[], int], program: str) -> None:
    """Ends the process with what main() returns, or with the code of the error that it raises."""
    try:
        code = main()
        sys.stdout.flush()
    except ScriptError as error:
        earlier = error.__context__
        if isinstance(earlier, ScriptError) and not error.__suppress_context__:
            # cleaning up after that one failed, too
            print(f"{program}: {earlier}", file=sys.stderr)
        print(f"{program}: {error}", file=sys.stderr)
        code = error.exit_code
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        # the reader of the output has closed it: there is nothing left to print, and stdout must not be closed again
        sys.stdout = None
        code = 0
    sys.exit(code)
