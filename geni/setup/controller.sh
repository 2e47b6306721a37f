#!/usr/bin/env bash
# Makes this machine the controller, and creates a virtual server with --vip.
set -euo pipefail
# shellcheck source=geni/setup/common.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

usage() {
  cat <<'EOF'
Usage: controller.sh [--openflow-port N] [--http-port N] [--data DIR] [--vip ADDRESS:PORT --member ADDRESS...]

Builds MALOB if necessary and starts its controller. Switches connect to any address of this machine (port 6653); REST is on
loopback only (8080), because it requires no password. The data directory is /var/lib/malob-testbed. With --vip: distributes
requests to that address over the members, at the same port. An existing VIP at that address stays and gets the missing members.
EOF
}

openflow_port=6653 http_port=8080 data=/var/lib/malob-testbed vip=''
members=()

parse() {
  local text
  while [ $# -gt 0 ]; do
    case $1 in
      --openflow-port)
        openflow_port=$(value "$@")
        check "$1" "$openflow_port" '[0-9]{1,5}' 'a port'
        ;;
      --http-port)
        http_port=$(value "$@")
        check "$1" "$http_port" '[0-9]{1,5}' 'a port'
        ;;
      --data) data=$(value "$@") ;;
      --vip)
        vip=$(value "$@")
        check "$1" "$vip" "$AN_ADDRESS:[0-9]{1,5}" ADDRESS:PORT
        ;;
      --member)
        text=$(value "$@")
        check "$1" "$text" "$AN_ADDRESS" 'an address'
        members+=("$text")
        ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) fail 2 "no option '$1'; --help lists them" ;;
    esac
    shift 2
  done
  [ -z "$vip" ] || [ ${#members[@]} -gt 0 ] || fail 2 "--member is missing: a virtual server needs one"
}

# rest METHOD PATH [BODY] : the answer; ends the script if it is an error
rest() {
  local answer status
  answer=$(curl -sS -m 10 -X "$1" ${3:+-H 'Content-Type: application/json' -d "$3"} -w '\n%{http_code}' "http://127.0.0.1:$http_port$2") ||
    fail 1 "the controller does not answer: $1 $2"
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  case $status in
    2??) printf '%s\n' "$answer" ;;
    *) fail 1 "$1 $2: $status: $answer" ;;
  esac
}

answers() { curl -sf -m 2 "http://127.0.0.1:$http_port/quantum/v1.0/vips/"; }

start_controller() {
  "$CHECKOUT/malob" prepare controller
  mkdir -p "$data"
  # of two lines with the same key the later one counts
  {
    cat "$CHECKOUT/src/main/resources/floodlightdefault.properties"
    echo
    echo "io.malob.controller.core.CoreModule.openFlowHost=0.0.0.0"
    echo "io.malob.controller.rest.RestModule.host=127.0.0.1"
  } >"$STATE/controller.properties"
  keep_running controller "$CHECKOUT/malob" run -cf "$STATE/controller.properties" \
    --openflow-port "$openflow_port" --http-port "$http_port" --data "$data"
  wait_for 90 answers_or_ended || true
  answers >/dev/null || fail 1 "the controller does not answer: $(last_words controller)"
}

answers_or_ended() { answers || ended controller; }

# has PATH FIELD VALUE [FIELD VALUE] : the id of the item of a list with these fields; nothing if there is none
has() {
  rest GET "$1" | python3 -I -c '
import json, sys
wanted = list(zip(sys.argv[1::2], sys.argv[2::2]))
for item in json.load(sys.stdin):
    if all(str(item.get(field)) == value for field, value in wanted):
        print(item["id"])
        break' "${@:2}"
}

make_virtual_server() {
  local api=/quantum/v1.0 address=${vip%:*} port=${vip#*:} id pool member
  id=$(has $api/vips/ address "$address" port "$port")
  if [ -z "$id" ]; then
    id=testbed-$port
    rest POST $api/vips/ "{\"id\": \"$id\", \"name\": \"testbed\", \"protocol\": \"tcp\", \"address\": \"$address\", \"port\": \"$port\"}" >/dev/null
  fi
  pool=$(has $api/pools/ vip_id "$id")
  if [ -z "$pool" ]; then
    pool=$id
    rest POST $api/pools/ "{\"id\": \"$pool\", \"name\": \"testbed\", \"protocol\": \"tcp\", \"vip_id\": \"$id\"}" >/dev/null
  fi
  for member in "${members[@]}"; do
    [ -n "$(has $api/members/ address "$member" port "$port" pool_id "$pool")" ] ||
      rest POST $api/members/ \
        "{\"id\": \"$id-$member\", \"address\": \"$member\", \"port\": \"$port\", \"pool_id\": \"$pool\"}" >/dev/null
  done
  say "$vip is spread over ${members[*]}"
}

parse "$@"
need_root
need curl curl python3 python3
start_controller
say "switches connect to port $openflow_port, REST is at http://127.0.0.1:$http_port"
[ -z "$vip" ] || make_virtual_server
