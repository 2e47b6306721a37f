# shellcheck shell=bash
# What differs between a checkout, an unpacked release and the .deb package. Sourced by ./malob.

# has_sources: a checkout has sources and is built when needed; a release is already built and has none
has_sources() { [ -f "$MALOB_ROOT/pom.xml" ]; }

# is_packaged: the package manager owns the files, so nothing is written beside them (scripts/malob/system/place.py)
is_packaged() { [ "$MALOB_ROOT" = /usr/share/malob ]; }

# data_directory: the controller's default data directory; in the package, the service's for
# users who may write there
data_directory() {
  local service=/var/lib/malob/controller
  if [ -n "${MALOB_DATA:-}" ]; then
    echo "$MALOB_DATA"
  elif ! is_packaged; then
    echo "$MALOB_ROOT/data"
  elif [ -w "$service" ]; then
    echo "$service"
  else
    echo "${XDG_DATA_HOME:-$HOME/.local/share}/malob"
  fi
}

# cache_directory: for what is compiled on first use, and archives of loaded classes
cache_directory() {
  if [ -n "${MALOB_CACHE:-}" ]; then
    echo "$MALOB_CACHE"
  elif is_packaged; then
    echo /var/cache/malob
  else
    echo "$MALOB_ROOT/target"
  fi
}

# need_sources COMMAND
need_sources() {
  has_sources || fail 1 "$1: a release has no sources and no tests; use a checkout"
}
