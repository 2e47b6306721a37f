# shellcheck shell=bash
# Finds Java, builds the controller. Sourced by ../../malob.

readonly JAVA_AT_LEAST=17

# java_homes: where a Java could be, the preferred one first
java_homes() {
  local program
  [ -z "${JAVA_HOME:-}" ] || echo "$JAVA_HOME"
  for program in javac java; do
    if program=$(command -v "$program"); then
      dirname "$(dirname "$(readlink -f "$program")")"
    fi
  done
  local home
  for home in /usr/lib/jvm/*/; do
    [ ! -x "$home/bin/java" ] || echo "${home%/}"
  done
}

# java_version HOME: its major version; 0 if that cannot be told
java_version() {
  local version=''
  if [ -r "$1/release" ]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  fi
  if [ -z "$version" ]; then
    version=$("$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p;T;q') || true
  fi
  echo "${version:-0}"
}

# find_home PROGRAM: the first home that is new enough and has bin/PROGRAM
find_home() {
  local home
  while read -r home; do
    if [ -x "$home/bin/$1" ] && [ "$(java_version "$home")" -ge "$JAVA_AT_LEAST" ]; then
      echo "$home"
      return 0
    fi
  done < <(java_homes)
  return 1
}

find_jdk() { find_home javac; }
find_java() { find_home java; }

java_program() {
  local home
  home=$(find_java) || fail 3 "no Java $JAVA_AT_LEAST or later"
  echo "$home/bin/java"
}

# as_owner COMMAND… : under sudo, what writes into the checkout runs as the user who called sudo
as_owner() {
  if [ "$(id -u)" = 0 ] && [ "${SUDO_UID:-0}" != 0 ] && [ "$(stat -c %u "$MALOB_ROOT")" = "$SUDO_UID" ]; then
    sudo -u "#$SUDO_UID" -H -- "$@"
  else
    "$@"
  fi
}

# maven ARGUMENT… : one Maven at a time in this checkout, with everything it says on stderr
maven() (
  exec 9<"$MALOB_ROOT/pom.xml"
  if ! flock -n 9; then
    say "waiting for another build in this checkout"
    flock 9
  fi
  cd "$MALOB_ROOT" || exit
  # what shows the progress makes way
  local clear=''
  [ ! -t 2 ] || clear=$'\r\e[K'
  # Maven ends with colour codes even where it was told not to use colours
  as_owner env JAVA_HOME="$(find_jdk)" mvn -B -ntp -Dstyle.color=never "$@" 2>&1 </dev/null |
    sed -u -e $'s/\e\\[[0-9;]*m//g' -e "s/^/$clear/" >&2
)

is_built() {
  local jar=$MALOB_ROOT/target/malob.jar
  [ -f "$jar" ] && [ -d "$MALOB_ROOT/target/lib" ] &&
    [ -z "$(find "$MALOB_ROOT/src/main" "$MALOB_ROOT/pom.xml" -newer "$jar" -print -quit)" ]
}

# Maven leaves a jar alone whose content stays the same: without this it would look old for ever
mark_built() { as_owner touch "$MALOB_ROOT/target/malob.jar"; }

build_controller() {
  if ! has_sources || is_built; then
    need_packages "the controller" java
    return
  fi
  need_packages "building MALOB" mvn javac
  say "building the controller; the first time this takes a minute or two"
  with_progress "building the controller" "$MALOB_ROOT/target/build-seconds" maven -q -Dmaven.test.skip=true package ||
    fail 1 "the build failed"
  mark_built
}

# build_release: the controller and its bill of materials
build_release() {
  need_packages "building MALOB" mvn javac
  need_packages "making packages" dpkg-deb
  maven -q -Dmaven.test.skip=true package cyclonedx:makeBom || fail 1 "the build failed"
}

# build_bench: bench/ has a pom of its own
build_bench() {
  need_packages "building the benchmarks" mvn javac
  local jar=$MALOB_ROOT/bench/target/malob-bench.jar
  if [ -f "$jar" ] && [ "$jar" -nt "$MALOB_ROOT/target/malob.jar" ] &&
    [ -z "$(find "$MALOB_ROOT"/bench/{src/main,pom.xml} "$MALOB_ROOT/scripts/lab/topologies" -newer "$jar" -print -quit)" ]; then
    return
  fi
  say "building the benchmarks"
  with_progress "building the benchmarks" "$MALOB_ROOT/bench/target/build-seconds" \
    maven -q -Dmaven.test.skip=true -f bench/pom.xml package || fail 1 "the build of bench/ failed"
  as_owner touch "$jar"
}
