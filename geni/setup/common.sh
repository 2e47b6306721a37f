# shellcheck shell=bash disable=SC2034
# Functions of the set-up scripts, which source this file. They run as root on Debian or Ubuntu, on testbeds and anywhere else, and
# may run again at any time: they change only what differs. Processes that they start end at a reboot; run the scripts again then.
# Exit codes: 0 done, 1 failed, 2 wrong use, 3 something needed is missing.

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

CHECKOUT=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
# pid files, logs and commands of the started programs
readonly CHECKOUT STATE=/run/malob-testbed

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

# fail CODE TEXT…
fail() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

# value OPTION ARGUMENT… : the option's value, which must be there
value() {
  [ -n "${2:-}" ] || fail 2 "$1: a value is missing"
  printf '%s\n' "$2"
}

# check OPTION VALUE PATTERN EXPECTED
check() {
  [[ $2 =~ ^($3)$ ]] || fail 2 "$1: expected $4, not '$2'"
}

need_root() {
  [ "$(id -u)" = 0 ] || fail 3 "this needs root: use sudo"
  mkdir -p "$STATE"
}

# need PROGRAM PACKAGE … : installs the packages of programs that are missing
need() {
  local missing=()
  while [ $# -gt 0 ]; do
    command -v "$1" >/dev/null || missing+=("$2")
    shift 2
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail 3 "please install: ${missing[*]}"
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  # a machine that has just started may be busy with upgrades of its own
  { apt-get -qq update && apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "${missing[@]}"; } >&2 ||
    fail 3 "apt-get could not install ${missing[*]} (above)"
}

readonly AN_ADDRESS='[0-9]{1,3}(\.[0-9]{1,3}){3}'

# device_with ADDRESS/PREFIX : the interface that has that address; nothing if there is none
device_with() {
  ip -o -4 address show | awk -v wanted="$1" '$4 == wanted { sub(/@.*/, "", $2); print $2; exit }'
}

# wait_for SECONDS COMMAND… : whether it succeeds within that time
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

# plain_frames DEVICE : a switch in user space forwards checksums that the kernel left to hardware, and TCP would fail
plain_frames() {
  ethtool -K "$1" tx off >/dev/null 2>&1 || true
}

# host_interface ADDRESS/PREFIX MTU : prepares the interface of a client or server; MTU may be empty
host_interface() {
  local device
  device=$(device_with "$1")
  [ -n "$device" ] || fail 1 "no interface has the address $1; 'ip address' shows the interfaces"
  [ -z "$2" ] || ip link set dev "$device" mtu "$2"
  plain_frames "$device"
  ip link set dev "$device" up
}

# agent_route DEVICE : the route of an agent's reports; no host has their address, and the first switch sends them to the controller
agent_route() {
  ip route replace 192.168.9.16/28 dev "$1"
}

# start_tick PID : when the process started, in ticks after boot; nothing if there is none
start_tick() {
  sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
}

# runs NAME : whether the program that was started under that name still runs
runs() {
  local pid tick
  { read -r pid tick <"$STATE/$1.pid"; } 2>/dev/null && [ -n "$tick" ] && [ "$(start_tick "$pid")" = "$tick" ]
}

# keep_running NAME COMMAND… : starts a program that outlives this script, unless it runs already with the same command
keep_running() {
  local name=$1 pid
  shift
  if runs "$name"; then
    if [ "$(cat "$STATE/$name.command")" = "$*" ]; then
      say "$name is already running"
      return
    fi
    stop "$name"
  fi
  printf '%s\n' "$*" >"$STATE/$name.command"
  setsid "$@" </dev/null >>"$STATE/$name.log" 2>&1 &
  pid=$!
  printf '%s %s\n' "$pid" "$(start_tick "$pid")" >"$STATE/$name.pid"
  say "$name started; its log is $STATE/$name.log"
}

# stop NAME : ends a program that was started under that name
stop() {
  local pid
  runs "$1" || return 0
  read -r pid _ <"$STATE/$1.pid"
  kill "$pid"
  wait_for 10 ended "$1" || fail 1 "$1 (process $pid) does not exit"
}

ended() { ! runs "$1"; }

# last_words NAME : the end of a program's log
last_words() { tail -n 1 "$STATE/$1.log" 2>/dev/null; }
