"""Plans without a controller, with the controller's own code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from malob.errors import MissingError, ScriptError, UsageError
from malob.system.place import ROOT

#: The launcher finds Java and builds the program.
COMMAND = (str(ROOT / "malob"), "java", "io.malob.mptcp.PlanCommand")

_WRONG_REQUEST = 2


def plan(request: dict[str, Any], svg: Path | None = None, command: Sequence[str] = COMMAND) -> Any:
    """The plan. svg: the file for its drawing. Raises UsageError, which names the error, if the request cannot be planned."""
    words = [*command, *(["--svg", str(svg.absolute())] if svg else [])]
    done = subprocess.run(words, input=json.dumps(request), stdout=subprocess.PIPE, text=True)
    if done.returncode == MissingError.exit_code:
        raise MissingError("a requirement of the planner is missing (see above)")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise ScriptError(f"the planner ended with {done.returncode} and no plan (see above)") from None
    if done.returncode == _WRONG_REQUEST:
        raise UsageError(answer["error"])
    if done.returncode != 0:
        raise ScriptError(f"the planner failed with {done.returncode} (see above)")
    return answer
