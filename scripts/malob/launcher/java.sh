# shellcheck shell=bash
# Finds Java, builds the controller. Sourced by ./malob.

readonly JAVA_AT_LEAST=17

# java_homes: candidates for JAVA_HOME, in order of preference
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

# java_version HOME: its major version; 0 if unknown
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
  done <<<"$(java_homes)"
  return 1
}

find_jdk() { find_home javac; }
find_java() { find_home java; }

# need_java: the home of Java; ends the launcher if there is none
need_java() { find_java || fail 3 "Java $JAVA_AT_LEAST or later is missing"; }

java_program() {
  local home
  home=$(need_java) || return
  echo "$home/bin/java"
}

# short_java HOME [OPTION] : puts the start of a command line for a program that ends soon into the array java
short_java() {
  # one thread collects the little garbage, and only the quick compiler runs: the other would use as much of a second processor as it
  # saves here. Standard output belongs to the program, and the JVM need not report a missing archive
  java=("$1/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable '-Xlog:all=warning,cds*=off:stderr' "${@:2}" -cp "$MALOB_ROOT/target/malob.jar")
}

# class_archive HOME CLASS : the file with the loaded classes of a program, for the Java in HOME. With it, the JVM need not read and
# verify them; it rejects archives of other JVMs or other jars.
class_archive() { echo "$(cache_directory)/$2${1//\//-}.jsa"; }

# is_fresh_archive ARCHIVE HOME : whether it is newer than the program and Java. It is empty if it cannot be created.
is_fresh_archive() {
  [ -f "$1" ] && [ -z "$(find "$MALOB_ROOT/target/malob.jar" "$2/lib/server" -cnewer "$1" -print -quit 2>/dev/null)" ]
}

# archive_option HOME CLASS [REHEARSAL…] : prints the option for the program's archive, which is created first if there is none yet.
# REHEARSAL is a command that runs the program once, with an option for the JVM as its last argument; without it, none is created.
archive_option() {
  local archive
  archive=$(class_archive "$1" "$2")
  [ $# -eq 2 ] || is_fresh_archive "$archive" "$1" || make_class_archive "$archive" "${@:3}"
  if is_fresh_archive "$archive" "$1" && [ -s "$archive" ]; then
    echo "-XX:SharedArchiveFile=$archive"
  fi
}

# make_class_archive ARCHIVE REHEARSAL…
make_class_archive() {
  local archive=$1 directory
  shift
  directory=$(dirname "$archive")
  # where another user owns the files, programs start without an archive
  mkdir -p "$directory" 2>/dev/null && [ -w "$directory" ] && { [ -O "$directory" ] || is_callers "$directory"; } || return 0
  (
    # one at a time: a second program starts without an archive
    exec 9<"$MALOB_ROOT/target/malob.jar"
    flock -n 9 || exit 0
    rm -f "$archive.new"
    "$@" "-XX:ArchiveClassesAtExit=$archive.new" >/dev/null && [ -s "$archive.new" ] || : >"$archive.new"
    # renamed only when complete, also after a power failure: a partial archive would crash the JVM
    sync "$archive.new"
    chown --no-dereference --reference="$directory" "$archive.new"
    mv -f "$archive.new" "$archive"
  ) 2>/dev/null || true
}

# rehearse_program HOME CLASS OPTION
rehearse_program() {
  local java
  short_java "$1" "$3"
  "${java[@]}" "$2" <"$MALOB_ROOT/scripts/malob/launcher/rehearsal.json"
}

# rehearse_controller HOME OPTION : until it is ready
rehearse_controller() (
  directory=$(mktemp -d)
  trap 'rm -rf "$directory"' EXIT
  mkfifo "$directory/log"
  # no program between: one that is asked to end before it knows its child leaves the child behind
  "$1/bin/java" "@$MALOB_ROOT/scripts/malob/launcher/jvm.options" "$2" -jar "$MALOB_ROOT/target/malob.jar" \
    --openflow-port 0 --http-port 0 --data "$directory/data" >"$directory/log" 2>&1 </dev/null &
  exec 8<"$directory/log"
  deadline=$((SECONDS + 60))
  # its log needs a reader until it ends
  while read -r -t $((deadline > SECONDS ? deadline - SECONDS : 1)) -u 8 line || { [ $? -le 128 ] || kill -KILL $!; false; }; do
    case $line in *controller_ready*) kill $! ;; esac
  done
  wait $!
)

# is_callers FILE : whether this runs under sudo, and the user who called sudo owns the file
is_callers() { [ "$(id -u)" = 0 ] && [ "${SUDO_UID:-0}" != 0 ] && [ "$(stat -c %u "$1")" = "$SUDO_UID" ]; }

# as_owner COMMAND… : under sudo, runs a command that writes into the checkout as the user who called sudo
as_owner() {
  if is_callers "$MALOB_ROOT"; then
    sudo -u "#$SUDO_UID" -H -- "$@"
  else
    "$@"
  fi
}

# maven ARGUMENT… : one Maven at a time in this checkout, with all its output on stderr
maven() (
  exec 9<"$MALOB_ROOT/pom.xml"
  if ! flock -n 9; then
    say "waiting for another build in this checkout"
    flock 9
  fi
  cd "$MALOB_ROOT" || exit
  # stop the progress bar
  local clear=''
  [ ! -t 2 ] || clear=$'\r\e[K'
  # Maven ends with colour codes even if colours are switched off
  as_owner env JAVA_HOME="$(find_jdk)" mvn -B -ntp -Dstyle.color=never "$@" 2>&1 </dev/null |
    sed -u -e $'s/\e\\[[0-9;]*m//g' -e "s/^/$clear/" >&2
)

# is_newer FILE SOURCE… : whether FILE exists and is newer than all sources
is_newer() {
  local file=$1
  shift
  [ -f "$file" ] && [ -z "$(find "$@" -newer "$file" -print -quit)" ]
}

is_built() {
  [ -d "$MALOB_ROOT/target/lib" ] && is_newer "$MALOB_ROOT/target/malob.jar" "$MALOB_ROOT"/{src/main,pom.xml,controller/pom.xml}
}

# mark_built JAR… : Maven does not rewrite a jar whose content is unchanged: without this it would always look outdated
mark_built() { as_owner touch "$@"; }

# build WHAT TARGET ARGUMENT… : builds with Maven, and stores the duration in the directory TARGET
build() {
  local what=$1 target=$2
  shift 2
  need_packages "building MALOB" mvn javac
  say "building $what; the first time this takes a minute or two"
  with_progress "building $what" "$target/build-seconds" maven -q "$@" package || fail 1 "the build failed"
}

build_controller() {
  if ! has_sources || is_built; then
    need_packages "the controller" java
    return
  fi
  build "the controller" "$MALOB_ROOT/target" -pl :malob -Dmaven.test.skip=true
  mark_built "$MALOB_ROOT/target/malob.jar"
}

# build_release: the controller and its bill of materials
build_release() {
  need_packages "building MALOB" mvn javac
  need_packages "making packages" dpkg-deb
  maven -q -pl :malob -Dmaven.test.skip=true package cyclonedx:makeBom || fail 1 "the build failed"
}

# build_bench: with the controller and its tests, which contain the emulated switches
build_bench() {
  local jar=$MALOB_ROOT/bench/target/malob-bench.jar
  if is_built && is_newer "$jar" "$MALOB_ROOT/target/malob.jar" "$MALOB_ROOT"/{bench/src/main,bench/pom.xml,src/test/java/io/malob/testing}; then
    return
  fi
  build "the controller and the benchmarks" "$MALOB_ROOT/bench/target" -pl :malob-bench -am -DskipTests
  mark_built "$MALOB_ROOT/target/malob.jar" "$jar"
}

build_simulations() {
  local jar=$MALOB_ROOT/simulations/target/malob-simulations.jar
  if is_built && is_newer "$jar" "$MALOB_ROOT/target/malob.jar" "$MALOB_ROOT"/{simulations/src/main,simulations/pom.xml,scripts/lab/topologies}; then
    return
  fi
  build "the simulations" "$MALOB_ROOT/simulations/target" -pl :malob-simulations -am -Dmaven.test.skip=true
  mark_built "$MALOB_ROOT/target/malob.jar" "$jar"
}
