#!/usr/bin/env bash
# apt_install.sh POLICY SERVICE,… PACKAGE… : installs packages, as root, and starts no service. Called by packages.sh.
#
# POLICY is /usr/sbin/policy-rc.d, which maintainer scripts run before they start a service. If it does not exist, this script
# creates a policy that denies all starts, and removes it at the end, also after Ctrl-C. After a kill -9 it denies nothing any more,
# and the next run removes it. A policy of the administrator stays unchanged and in force.
# The script disables SERVICES that were not installed before: otherwise they would start at the next boot.
set -euo pipefail

readonly POLICY=$1 MARK='# malob: only while packages are installed'
IFS=, read -ra SERVICES <<<"$2"
shift 2

# one at a time: a run must not remove the policy while another run installs
exec 9>"${MALOB_INSTALL_LOCK:-/run/malob-install.lock}"
flock 9

say() { printf 'malob: %s\n' "$*" >&2; }

is_ours() { [ "$(sed -n 2p "$POLICY" 2>/dev/null)" = "$MARK" ]; }

remove_policy() { ! is_ours || rm -f "$POLICY"; }

# deny_starts: an upgrade may restart running services
deny_starts() {
  local start
  start=$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)
  remove_policy
  if ! (
    umask 077
    set -C
    cat >"$POLICY"
  ) 2>/dev/null <<END; then
#!/bin/sh
$MARK
[ "\$(sed 's/.*) //' /proc/$$/stat 2>/dev/null | cut -d ' ' -f 20)" = $start ] || exit 0
for word; do
  [ "\$word" != start ] || exit 101
done
exit 0
END
    say "$POLICY exists already and decides which services are started"
    return
  fi
  chmod 755 "$POLICY"
}

# has_service NAME
has_service() {
  [ -e "/lib/systemd/system/$1.service" ] || [ -e "/usr/lib/systemd/system/$1.service" ] || [ -e "/etc/init.d/$1" ]
}

# disable NAME : it no longer starts at boot
disable() {
  if command -v systemctl >/dev/null; then
    systemctl --quiet disable "$1" >/dev/null 2>&1 || return 1
  else
    update-rc.d "$1" disable >/dev/null 2>&1 || return 1
  fi
  say "$1 is disabled and not running: MALOB needs only its programs"
}

new=()
for service in "${SERVICES[@]}"; do
  has_service "$service" || new+=("$service")
done
trap remove_policy EXIT
trap 'exit 130' INT
trap 'exit 129' HUP
trap 'exit 143' TERM
deny_starts
status=0
env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
  -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 install "$@" </dev/null 9>&- || status=$?
for service in "${new[@]}"; do
  if has_service "$service"; then
    disable "$service" || say "$service could not be disabled and will start at boot"
  fi
done
exit "$status"
