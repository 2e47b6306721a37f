#!/usr/bin/env bash
# Makes this machine a switch: an Open vSwitch bridge whose ports are the interfaces with the given addresses.
set -euo pipefail
# shellcheck source=geni/setup/common.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

usage() {
  cat <<'EOF'
Usage: switch.sh --datapath-id ID --controller HOST:PORT --port N=ADDRESS/PREFIX... [--node N=ADDRESS/PREFIX [--mtu BYTES] [--agent FILE]]

Creates the bridge "malob". Port N is the interface with the given address, which is removed from it. If ports or controller differ
from the previous run, the script changes the bridge. It refuses the interface over which this machine is reached.
--node: port N leads to this machine itself, as a host with that address. --mtu: the MTU of the tunnels on its paths to others.
--agent: measures the throughput of the links to its neighbours, with a configuration of './malob testbed agents'.
EOF
}

bridge=malob node_port=malob-node datapath_id='' controller='' node='' mtu='' agent=''
declare -A ports=()

parse() {
  local text
  while [ $# -gt 0 ]; do
    case $1 in
      --datapath-id) datapath_id=$(value "$@") ;;
      --controller) controller=$(value "$@") ;;
      --port)
        text=$(value "$@")
        check --port "$text" "[1-9][0-9]*=$AN_ADDRESS/[0-9]+" N=ADDRESS/PREFIX
        [ -z "${ports[${text%%=*}]:-}" ] || fail 2 "--port: number ${text%%=*} is given twice"
        ports[${text%%=*}]=${text#*=}
        ;;
      --node)
        node=$(value "$@")
        check --node "$node" "[1-9][0-9]*=$AN_ADDRESS/[0-9]+" N=ADDRESS/PREFIX
        ;;
      --mtu)
        mtu=$(value "$@")
        check --mtu "$mtu" '[0-9]{3,5}' 'a number of bytes'
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
  check --datapath-id "$datapath_id" '([0-9a-f]{2}:){7}[0-9a-f]{2}' 'eight bytes in hex with colons'
  check --controller "$controller" '[A-Za-z0-9.-]+:[0-9]+' HOST:PORT
  [ ${#ports[@]} -gt 0 ] || fail 2 "--port is missing"
  if [ -n "$node" ] && [ -n "${ports[${node%%=*}]:-}" ]; then
    fail 2 "--node: number ${node%%=*} is already a --port"
  fi
  [ -z "$agent" ] || [ -n "$node" ] || fail 2 "--agent: requires --node"
}

open_vswitch_runs() { ovs-vsctl --timeout=2 show && ovs-appctl --timeout=2 -t ovs-vswitchd version; }

start_open_vswitch() {
  ! open_vswitch_runs >/dev/null 2>&1 || return 0
  if [ -d /run/systemd/system ]; then
    systemctl start openvswitch-switch
  else
    /usr/share/openvswitch/scripts/ovs-ctl start --system-id=random --no-mlockall
  fi >"$STATE/openvswitch.log" 2>&1 || true
  wait_for 10 open_vswitch_runs || fail 1 "Open vSwitch does not start; see /var/log/openvswitch and $STATE/openvswitch.log"
}

# datapath : the kernel's if available
datapath() {
  [ -e /sys/module/openvswitch ] || modprobe -q openvswitch 2>/dev/null || true
  if ovs-dpctl dump-dps >/dev/null 2>&1; then echo system; else echo netdev; fi
}

make_bridge() {
  ovs-vsctl --timeout=20 --may-exist add-br "$bridge" \
    -- set Bridge "$bridge" "datapath_type=$(datapath)" fail_mode=secure protocols=OpenFlow13,OpenFlow14,OpenFlow15 \
    "other_config:datapath-id=${datapath_id//:/}" other_config:disable-in-band=true
}

# port_of ADDRESS : the bridge's port that was made for that address
port_of() {
  ovs-vsctl --bare --no-headings --columns=name find Interface "external_ids:malob-address=\"$1\""
}

add_port() {
  local number=$1 address=$2 device
  device=$(device_with "$address")
  [ -n "$device" ] || device=$(port_of "$address")
  [ -n "$device" ] || fail 1 "--port $number: no interface has the address $address; 'ip address' shows the interfaces"
  [ -e "/sys/class/net/$device" ] || fail 1 "--port $number: the interface $device, which had the address $address, no longer exists"
  refuse_uplink "$number" "$device"
  ip address del "$address" dev "$device" 2>/dev/null || true
  # the kernel must not send packets of its own into the network
  { echo 1 >"/proc/sys/net/ipv6/conf/$device/disable_ipv6"; } 2>/dev/null || true
  plain_frames "$device"
  ip link set dev "$device" up
  ovs-vsctl --timeout=20 --may-exist add-port "$bridge" "$device" \
    -- set Interface "$device" "ofport_request=$number" "external_ids:malob-address=\"$address\""
  [ "$(ovs-vsctl --timeout=20 get Interface "$device" ofport)" = "$number" ] ||
    fail 1 "--port $number: $device became port $(ovs-vsctl get Interface "$device" ofport): $(ovs-vsctl get Interface "$device" error)"
}

refuse_uplink() {
  local device
  device=$( (ip -4 route show default; ip -4 route get "${controller%:*}") 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p')
  ! grep -qxF "$2" <<<"$device" || fail 1 "--port $1: $2 leads to the controller or is the default route, and cannot be a port"
}

# remove_others : former ports that are no longer ports, or have another number
remove_others() {
  local device number address
  for device in $(ovs-vsctl list-ports "$bridge"); do
    [ "$device" != "$node_port" ] || continue
    number=$(ovs-vsctl get Interface "$device" ofport_request)
    address=$(ovs-vsctl --if-exists get Interface "$device" external_ids:malob-address | tr -d '"')
    if [ -z "$address" ] || [ "${ports[$number]:-}" != "$address" ]; then
      ovs-vsctl --timeout=20 del-port "$bridge" "$device"
    fi
  done
}

# set_node : makes this machine a host of the network, if --node is given
set_node() {
  if [ -z "$node" ]; then
    ovs-vsctl --timeout=20 --if-exists del-port "$bridge" "$node_port"
    return
  fi
  ovs-vsctl --timeout=20 --may-exist add-port "$bridge" "$node_port" \
    -- set Interface "$node_port" type=internal "ofport_request=${node%%=*}"
  plain_frames "$node_port"
  [ -z "$mtu" ] || ovs-vsctl --timeout=20 set Interface "$node_port" "mtu_request=$mtu"
  ip link set dev "$node_port" up
  ip address replace "${node#*=}" dev "$node_port"
  [ -z "$agent" ] || start_agent
}

start_agent() {
  need iperf3 iperf3 python3 python3
  agent_route "$node_port"
  keep_running agent python3 -I "$CHECKOUT/scripts/agents/link_agent.py" --config "$agent"
}

set_controller() {
  [ "$(ovs-vsctl get-controller "$bridge")" = "tcp:$controller" ] || ovs-vsctl --timeout=20 set-controller "$bridge" "tcp:$controller"
  # retry an absent controller every two seconds instead of every eight; an attempt may take as long, and needs 1.5 round trips
  ovs-vsctl --timeout=20 set Controller "$bridge" max_backoff=2000 inactivity_probe=5000 connection_mode=out-of-band
}

connected() {
  [ "$(ovs-vsctl get Controller "$bridge" is_connected)" = true ]
}

parse "$@"
need_root
need ovs-vsctl openvswitch-switch ip iproute2 ethtool ethtool
start_open_vswitch
make_bridge
remove_others
for number in "${!ports[@]}"; do
  add_port "$number" "${ports[$number]}"
done
set_node
set_controller
if wait_for 5 connected; then
  say "switch $datapath_id has ${#ports[@]} ports and is connected to $controller"
else
  say "switch $datapath_id has ${#ports[@]} ports; no controller answers at $controller yet; the switch keeps trying"
fi
