#!/usr/bin/env bash
# Makes this machine a client: prepares its interface, and sends a request with --try.
set -euo pipefail
# shellcheck source=geni/setup/common.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

usage() {
  cat <<'EOF'
Usage: client.sh --address ADDRESS/PREFIX [--mtu BYTES] [--try URL]

The interface is the one that has the address. --mtu: the MTU of the tunnels on its paths. --try: requests that page until an
answer arrives, for max one minute, and prints it.
EOF
}

address='' mtu='' url=''

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --address) address=$(value "$@") ;;
      --mtu)
        mtu=$(value "$@")
        check "$1" "$mtu" '[0-9]{3,5}' 'a number of bytes'
        ;;
      --try)
        url=$(value "$@")
        check "$1" "$url" 'http://.*' 'http://ADDRESS:PORT/'
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

parse "$@"
need_root
need ip iproute2 ethtool ethtool curl curl
host_interface "$address" "$mtu"
[ -z "$url" ] || wait_for 60 curl -sf -m 3 -o "$STATE/answer" "$url" || fail 1 "no answer from $url within a minute"
[ -z "$url" ] || cat "$STATE/answer"
say "the client is ready at $address"
