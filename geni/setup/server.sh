#!/usr/bin/env bash
# Makes this machine a server: prepares its interface, and starts a small web server that answers with the machine's name.
set -euo pipefail
# shellcheck source=geni/setup/common.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

usage() {
  cat <<'EOF'
Usage: server.sh --address ADDRESS/PREFIX [--name NAME] [--port N] [--mtu BYTES] [--agent FILE]

The interface is the one that has the address. --port: the web server's port (80); 0: no web server, you run your own. --mtu: the
MTU of the tunnels on its paths. --agent: also report CPU utilization and connections, with a configuration of './malob agent add'.
EOF
}

address='' name=$(hostname) port=80 mtu='' agent=''

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --address) address=$(value "$@") ;;
      --name)
        name=$(value "$@")
        check "$1" "$name" '[A-Za-z0-9._-]+' 'a name'
        ;;
      --port)
        port=$(value "$@")
        check "$1" "$port" '[0-9]{1,5}' 'a port'
        ;;
      --mtu)
        mtu=$(value "$@")
        check "$1" "$mtu" '[0-9]{3,5}' 'a number of bytes'
        ;;
      --agent)
        agent=$(value "$@")
        [ -r "$agent" ] || fail 2 "$1: cannot read $agent"
        ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) fail 2 "no option '$1'; --help lists them" ;;
    esac
    shift 2
  done
  check --address "$address" "$AN_ADDRESS/[0-9]+" ADDRESS/PREFIX
}

answers_or_ended() { curl -sf -m 2 "http://127.0.0.1:$port/" || ended web; }

start_web_server() {
  keep_running web python3 -I "$CHECKOUT/scripts/lab/demo/responder.py" "$name" --http "$port"
  wait_for 20 answers_or_ended || true
  curl -sf -m 2 "http://127.0.0.1:$port/" >/dev/null || fail 1 "the web server does not answer: $(last_words web)"
}

start_agent() {
  agent_route "$(device_with "$address")"
  keep_running agent python3 -I "$CHECKOUT/scripts/agents/server_agent.py" --config "$agent"
}

parse "$@"
need_root
need ip iproute2 ethtool ethtool python3 python3 curl curl
host_interface "$address" "$mtu"
[ "$port" = 0 ] || start_web_server
[ -z "$agent" ] || start_agent
say "$name is ready at $address"
