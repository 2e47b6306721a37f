#!/bin/sh
# What udhcpc does with a lease: the interface gets its address, and a default route. Nothing else of the machine is changed.
# shellcheck disable=SC2154 # udhcpc sets interface, ip, mask and router
set -eu
case $1 in
  deconfig) ip -4 address flush dev "$interface" ;;
  bound | renew)
    ip address replace "$ip/$mask" dev "$interface"
    ip route replace default via "$router" dev "$interface" metric 200
    ;;
esac
