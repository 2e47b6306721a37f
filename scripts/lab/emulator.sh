# shellcheck shell=bash
# Builds the link emulator of the emulated network. Sourced by ./malob when it is wanted.

# build_emulator: if its program is older than its source
build_emulator() {
  local source=$MALOB_ROOT/scripts/lab/emulator directory program
  directory=$(cache_directory)
  program=$directory/link-emulator
  if [ -x "$program" ] && [ -z "$(find "$source" -newer "$program" -print -quit)" ]; then
    return
  fi
  need_packages "building the link emulator" cc libc-headers
  say "building the link emulator"
  as_owner mkdir -p "$directory"
  # under another name first: a running program cannot be overwritten, and a partial one must not run
  as_owner cc -std=c11 -O2 -Wall -Wextra -Wconversion -Wshadow -o "$program.new" "$source"/*.c >&2 ||
    fail 1 "the build of the link emulator failed"
  as_owner mv "$program.new" "$program"
}
