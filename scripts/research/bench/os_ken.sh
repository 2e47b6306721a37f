# shellcheck shell=bash
# Installs os-ken, which MALOB is measured beside, into an environment of its own. Sourced by ./malob when it is wanted.

readonly OS_KEN='os-ken<4'

install_os_ken() {
  local directory=$MALOB_ROOT/target/os-ken
  [ ! -x "$directory/bin/osken-manager" ] || return 0
  need_packages "measuring beside os-ken" ensurepip
  say "installing $OS_KEN into $directory"
  as_owner rm -rf "$directory"
  local python
  python=$(python_with ensurepip)
  as_owner mkdir -p "$MALOB_ROOT/target"
  # the program comes last of all, so that one that was interrupted is not taken for whole
  if ! { as_owner "$python" -m venv "$directory" &&
    as_owner "$directory/bin/python" -m pip install -q --disable-pip-version-check "$OS_KEN"; } >&2; then
    fail 3 "$OS_KEN cannot be installed from the Python package index (above)"
  fi
}
