# shellcheck shell=bash
# Installs what makes the documentation's site into an environment of its own. Sourced by ./malob when it is wanted.

readonly MKDOCS=(mkdocs==1.6.1 'mkdocs-material>=9.6,<10')

install_mkdocs() {
  local directory=$MALOB_ROOT/target/docs-environment
  [ ! -x "$directory/bin/mkdocs" ] || return 0
  need_packages "making the documentation's site" ensurepip
  say "installing ${MKDOCS[*]} into $directory"
  as_owner rm -rf "$directory"
  local python
  python=$(python_with ensurepip)
  as_owner mkdir -p "$MALOB_ROOT/target"
  # the program comes last of all, so that one that was interrupted is not taken for whole
  if ! { as_owner "$python" -m venv "$directory" &&
    as_owner "$directory/bin/python" -m pip install -q --disable-pip-version-check "${MKDOCS[@]}"; } >&2; then
    fail 3 "MkDocs cannot be installed from the Python package index (above)"
  fi
}
