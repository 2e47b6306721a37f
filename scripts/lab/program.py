"""A program on a host that takes orders, and reports results, line by line."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from typing import Any, Callable

from lab import processes
from malob.errors import ScriptError
from malob.system.processes import bound_to_us


class Program:
    """Starts when it is constructed, and ends with this process at the latest."""

    def __init__(self, command: Sequence[str], ended: str) -> None:
        """ended: the error if it ends too early."""
        self._ended = ended
        self._process = subprocess.Popen(bound_to_us(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._reader: threading.Thread | None = None

    def say(self, words: Any) -> None:
        """Sends a line of JSON. Raises BrokenPipeError if it has ended."""
        self._input.write(json.dumps(words) + "\n")
        self._input.flush()

    def close_input(self) -> None:
        """Which asks some programs to end."""
        self._input.close()

    def line(self) -> str:
        """Waits for the next line. Raises ScriptError if it has ended."""
        line = self._output.readline()
        if not line:
            raise ScriptError(self._ended)
        return line

    def answer(self) -> Any:
        """The next line, which is JSON."""
        return json.loads(self.line())

    def follow(self, handle: Callable[[str], None], at_end: Callable[[], None] | None = None) -> threading.Thread:
        """Calls handle with each line from now on, and at_end after the last one, in a thread."""

        def read() -> None:
            for line in self._output:
                handle(line)
            if at_end is not None:
                at_end()

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        return self._reader

    def wait(self) -> int:
        """Returns its exit code once it has ended by itself."""
        return self._process.wait()

    def ask_to_end(self) -> None:
        self._process.terminate()

    def end(self) -> None:
        """Asks it to end, and insists; may be called repeatedly."""
        processes.end(self._process)
        self._close()

    def stop(self) -> None:
        """Ends it at once, and returns before it has ended: what waits for a line gets ScriptError."""
        self._process.kill()

    def kill(self) -> None:
        """Ends it at once, if it has not ended."""
        self.stop()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.join()
        self._output.close()
        try:
            self._input.close()
        except BrokenPipeError:
            # it has not read everything
            pass
