# shellcheck shell=bash
# Shows the progress of a build. Sourced by ./malob.

readonly BUILD_GUESS_S=120

# with_progress WHAT FILE COMMAND… : runs a command. On a terminal, a line shows the estimated remaining time, from the time
# of the last successful run, which is stored in FILE; elsewhere it prints nothing.
with_progress() {
  local what=$1 file=$2 expected=$BUILD_GUESS_S start=$SECONDS status=0
  shift 2
  if [ ! -t 2 ]; then
    "$@"
    return
  fi
  [ ! -r "$file" ] || read -r expected <"$file" || true
  [[ $expected =~ ^[1-9][0-9]{0,4}$ ]] || expected=$BUILD_GUESS_S
  show_progress "$what" "$expected" >&2 &
  local ticker=$!
  "$@" || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  printf '\r\e[K' >&2
  if [ "$status" = 0 ]; then
    echo $((SECONDS - start + 1)) | as_owner tee "$file" >/dev/null
  fi
  return "$status"
}

# show_progress WHAT SECONDS : a progress bar for an estimated duration; it ends with the launcher
show_progress() {
  local what=$1 expected=$2 passed=0 marks bar
  while kill -0 $$ 2>/dev/null; do
    marks=$((passed < expected ? 24 * passed / expected : 24))
    printf -v bar '%*s' "$marks" ''
    bar=${bar// /#}
    while [ ${#bar} -lt 24 ]; do bar+=.; done
    if [ "$passed" -lt "$expected" ]; then
      printf '\r\e[K[%s] %s, about %s left' "$bar" "$what" "$(in_words $((expected - passed)))"
    else
      printf '\r\e[K[%s] %s, longer than expected: %s so far' "$bar" "$what" "$(in_words "$passed")"
    fi
    sleep 1
    passed=$((passed + 1))
  done
}

# in_words SECONDS : 45 s, 3 min 20 s
in_words() {
  if [ "$1" -lt 60 ]; then
    echo "$1 s"
  else
    printf '%d min %02d s\n' $(($1 / 60)) $(($1 % 60))
  fi
}
