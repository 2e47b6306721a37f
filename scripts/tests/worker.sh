#!/usr/bin/env bash
# Starts a worker of pytest-xdist with processes of its own: worker.sh PYTHON ARGUMENT…
# The shell stays, as the first of these processes, and collects what daemons leave; the last line is for that.
set -euo pipefail
# shellcheck disable=SC2016 # the inner shell expands these
exec unshare --mount --pid --fork --kill-child --mount-proc --propagation private bash -c '"$@"; exit $?' malob-test "$@"
