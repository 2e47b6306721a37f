# shellcheck shell=bash
# Installs geni-lib, with which CloudLab's profile is tested, into an environment of its own. Sourced by ./malob when it is wanted.

# with what of its needs a profile has use for
readonly GENI_LIB='geni-lib==0.9.9.4 lxml six'

install_geni_lib() {
  local directory=$MALOB_ROOT/target/geni-lib
  [ ! -e "$directory/complete" ] || return 0
  need_packages "testing the profile" ensurepip
  say "installing $GENI_LIB into $directory"
  as_owner rm -rf "$directory"
  local python
  python=$(python_with ensurepip)
  as_owner mkdir -p "$MALOB_ROOT/target"
  # shellcheck disable=SC2086
  if ! { as_owner "$python" -m venv "$directory" &&
    as_owner "$directory/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-compile $GENI_LIB; } >&2; then
    fail 3 "$GENI_LIB cannot be installed from the Python package index (above)"
  fi
  repair_geni_lib "$directory"
  as_owner touch "$directory/complete"
}

# repair_geni_lib DIRECTORY : its last release there has a few lines that only Python 2 understands; the one that CloudLab runs has not
repair_geni_lib() {
  local package
  package=$(echo "$1"/lib/python3*/site-packages/geni)
  as_owner sed -i -E 's/^( *)print ([^(].*)$/\1print(\2)/' "$package/portal.py"
  as_owner sed -i 's/buf = self.toXMLString(True)$/buf = self.toXMLString(True, True)/' "$package/rspec/pg.py"
}
