"""Command line of the completion; `malob complete` is what the shells call."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from malob.cli.arguments import Parser
from malob.cli.completion import engine
from malob.cli.completion.engine import Completion


def parser() -> argparse.ArgumentParser:
    made = Parser(
        prog="malob completion",
        description="Prints the completion script of a shell; it completes ids from the running controller. bash:"
        " 'source <(./malob completion bash)' in ~/.bashrc; zsh: the same in ~/.zshrc; fish: './malob completion fish | source'.",
    )
    made.add_argument("shell", choices=tuple(SCRIPTS))
    return made


def main() -> int:
    words = sys.argv[1:]
    if words[:2] == ["complete", "--"]:
        return _complete(words[2:])
    print(SCRIPTS[parser().parse_args(words).shell], end="")
    return 0


def _complete(words: Sequence[str]) -> int:
    from malob.cli.completion.sources import SOURCES

    for line in answer(engine.complete(words, SOURCES)):
        print(line)
    return 0


_BASH = r"""
# completion of malob's command lines; in bash: source <(./malob completion bash)
_malob() {
  local line word words typed
  COMPREPLY=()
  read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} != *[[:space:]] ]] || words+=('')
  word=${words[${#words[@]} - 1]}
  # bash splits words at = and :, and replaces only the last part
  typed=${COMP_WORDS[COMP_CWORD]}
  case $typed in = | :) typed='' ;; esac
  while IFS= read -r line; do
    case $line in
      :file) compopt -o default ;;
      ?*)
        line=${line%%$'\t'*}
        COMPREPLY+=("${line:${#word}-${#typed}}")
        ;;
    esac
  done < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _malob malob
"""

_ZSH = r"""
#compdef malob
# completion of malob's command lines; in zsh: source <(./malob completion zsh)
_malob() {
  local line files
  local -a values
  for line in ${(f)"$(${~words[1]} complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    if [[ $line == :file ]]; then
      files=1
    else
      values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( $#values )) && _describe -t values value values
  if [[ -n $files ]]; then
    [[ $words[CURRENT] == --*=* ]] && compset -P '*='
    _files
  fi
}
if [[ $funcstack[1] == _malob ]]; then _malob "$@"; else compdef _malob malob; fi
"""

_FISH = r"""
# completion of malob's command lines; in fish: ./malob completion fish | source
function __malob_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -e words[1]
    for line in ($program complete -- $words (commandline -ct) 2>/dev/null)
        if test "$line" = :file
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c malob -f -a '(__malob_complete)'
"""

SCRIPTS = {"bash": _BASH.lstrip(), "zsh": _ZSH.lstrip(), "fish": _FISH.lstrip()}


def answer(found: Completion) -> list[str]:
    """The lines that the shells read."""
    lines = [f"{each.word}\t{each.help}" for each in found.candidates]
    return [*lines, ":file"] if found.files else lines
