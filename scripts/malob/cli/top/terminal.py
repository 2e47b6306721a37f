"""The terminal while top runs: a screen of its own, and keys as they are pressed."""

from __future__ import annotations

import os
import select
import shutil
import sys
import termios
import tty
from collections.abc import Sequence
from types import TracebackType

_ENTER = "\033[?1049h\033[?25l"
_LEAVE = "\033[?25h\033[?1049l"


class Terminal:
    """To be used in a with statement, which restores the terminal."""

    def __enter__(self) -> Terminal:
        self._keyboard = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._keyboard)
        tty.setcbreak(self._keyboard)
        self._write(_ENTER)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)
        self._write(_LEAVE)

    @property
    def size(self) -> tuple[int, int]:
        """The current columns and lines."""
        return shutil.get_terminal_size((80, 24))

    def show(self, lines: Sequence[str]) -> None:
        """Replaces the previous contents, in one write to avoid flicker."""
        self._write("\033[H" + "\r\n".join(line + "\033[K" for line in lines) + "\033[J")

    def key(self, timeout_s: float) -> str:
        """The next key; empty if none is pressed in time. The end of input is a q."""
        ready, _, _ = select.select([self._keyboard], [], [], max(0.0, timeout_s))
        if not ready:
            return ""
        return os.read(self._keyboard, 64).decode("utf-8", "replace")[:1] or "q"

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
