"""Walks through a page of the documentation as a reader would: types what it says, and compares what is printed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Callable

from tests import outputs
from tests.blocks import Block, Command, Fate, blocks
from tests.system.terminals import Machine, Terminal

#: For one command, on a machine that is busy.
_PATIENCE_S = 90


class Walk:
    """One page. tell: gets each command and what it printed."""

    def __init__(self, page: Path, environment: Mapping[str, str], tell: Callable[[str], None]) -> None:
        self._blocks = [block for block in blocks(page.read_text(encoding="utf-8")) if block.fate is Fate.WALKED]
        self._environment = environment
        self._tell = tell
        self._terminals: dict[str, Terminal] = {}

    def go(self) -> int:
        """How many commands were typed. Raises AssertionError where the page is wrong."""
        count = 0
        with ExitStack() as stack:
            machine = Machine()
            stack.callback(machine.end)
            for block in self._blocks:
                terminal = self._terminal(block.terminal, machine, stack)
                for command in block.commands:
                    self._do(terminal, block, command)
                    count += 1
        return count

    def _terminal(self, name: str, machine: Machine, stack: ExitStack) -> Terminal:
        if name not in self._terminals:
            self._terminals[name] = Terminal(machine, self._environment)
            stack.callback(self._terminals[name].end)
        return self._terminals[name]

    def _do(self, terminal: Terminal, block: Block, command: Command) -> None:
        if block.goes_on:
            terminal.start(command.text)
            self._await(terminal, block, command)
            return
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            printed = terminal.type(command.text, _PATIENCE_S)
            self._tell(f"{block.terminal}> {command.text}\n{printed}")
            if not command.output or outputs.matches(command.output, printed, block.figures_vary):
                return
            if not block.asked_again or time.monotonic() > deadline:
                raise AssertionError(_difference(block, command, printed))
            time.sleep(0.5)

    def _await(self, terminal: Terminal, block: Block, command: Command) -> None:
        printed, deadline = "", time.monotonic() + _PATIENCE_S
        while not outputs.shows(command.output, printed, block.figures_vary):
            if time.monotonic() > deadline:
                raise AssertionError(_difference(block, command, printed))
            printed += terminal.read()
        self._tell(f"{block.terminal}> {command.text}\n{printed}")


def _difference(block: Block, command: Command, printed: str) -> str:
    expected = "\n".join(command.output)
    return f"the block at line {block.line}: '{command.text}' should print\n{expected}\nand printed\n{printed}"
