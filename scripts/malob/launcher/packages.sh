# shellcheck shell=bash
# Installs missing programs from the distribution's packages, and asks first. Sourced by ./malob.

# Services of these packages: MALOB does not need them.
readonly UNNEEDED_SERVICES=nginx,haproxy,openvswitch-switch,iperf3,etcd,keepalived,ovn-central,ovn-host
# How long a question waits for an answer.
QUESTION_S=300
POLICY_FILE=/usr/sbin/policy-rc.d

# package_of PROGRAM: its package, or alternatives in order of preference, and its purpose
package_of() {
  case $1 in
    python3) echo "python3|runs MALOB's scripts" ;;
    java) echo "openjdk-17-jre-headless openjdk-21-jre-headless default-jre-headless|runs the controller" ;;
    javac) echo "openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless|compiles the controller" ;;
    dpkg-deb) echo "dpkg|makes .deb packages" ;;
    mvn) echo "maven|builds the controller" ;;
    etcd) echo "etcd-server etcd|keeps the state that the controllers of a cluster share" ;;
    ovs-vsctl) echo "openvswitch-switch|provides the switches of the emulated network" ;;
    ip) echo "iproute2|makes the hosts of the emulated network" ;;
    tc) echo "iproute2|shapes the links of the emulated network" ;;
    cc) echo "gcc|compiles the link emulator" ;;
    libc-headers) echo "libc6-dev|compiles the link emulator" ;;
    nft) echo "nftables|keeps the kernel from answering packets for an end host's switch" ;;
    ethtool) echo "ethtool|switches off checksum offload on the hosts' interfaces" ;;
    setsid) echo "util-linux|starts processes that outlive the command" ;;
    setpriv) echo "util-linux|ends helper processes with their parent" ;;
    ping) echo "iputils-ping|checks which hosts reach each other" ;;
    ab) echo "apache2-utils|opens many HTTP connections at once" ;;
    nginx) echo "nginx-light nginx|serves pages for measurements" ;;
    haproxy) echo "haproxy|is one of the balancers that MALOB is compared with" ;;
    nginx-stream) echo "libnginx-mod-stream|makes nginx a balancer that MALOB is compared with" ;;
    ovn-northd) echo "ovn-central|is OVN, a balancer that MALOB is compared with" ;;
    ovn-controller) echo "ovn-host|controls a switch for OVN" ;;
    ovsdb-server) echo "openvswitch-switch|keeps OVN's databases" ;;
    nsenter) echo "util-linux|runs servers on emulated hosts, each with processors of its own" ;;
    keepalived) echo "keepalived|makes one of two emulated routers the gateway" ;;
    pyftpdlib) echo "python3-pyftpdlib|serves files by FTP" ;;
    gtlsclient) echo "ngtcp2-client|loads pages over QUIC" ;;
    gtlsserver) echo "ngtcp2-server|serves pages over QUIC" ;;
    openssl) echo "openssl|makes the certificate of the QUIC server" ;;
    matplotlib) echo "python3-matplotlib|draws figures" ;;
    scipy) echo "python3-scipy|computes percentiles and confidence intervals, with numpy" ;;
    lxml) echo "python3-lxml|checks RSpecs against their schema" ;;
    ensurepip) echo "python3-venv|creates virtual environments for packages from PyPI" ;;
    mn) echo "mininet|emulates the networks of the documentation's walks, and runs the lab's topologies" ;;
    iperf3) echo "iperf3|measures throughput between hosts" ;;
    udhcpc) echo "udhcpc|gets an address for a test of end hosts, as a DHCP client does" ;;
    dnsmasq) echo "dnsmasq-base|is the DHCP server of that test" ;;
    chromium) echo "chromium chromium-browser|runs the tests of the page" ;;
    node) echo "nodejs|drives the browser in tests of the page" ;;
    npm) echo "npm|installs the driver of that browser" ;;
    curl) echo "curl|sends requests to the controller and the servers" ;;
    *) return 1 ;;
  esac
}

# need_packages PURPOSE PROGRAM… : installs missing programs; exits with 3 if it cannot
need_packages() {
  local purpose=$1 program missing=()
  shift
  for program in "$@"; do
    has_program "$program" || missing+=("$program")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  for program in "${missing[@]}"; do
    say "$purpose: $program is missing; it $(package_of "$program" | cut -d'|' -f2)"
  done
  install_packages "${missing[@]}"
  for program in "${missing[@]}"; do
    has_program "$program" || fail 3 "$program is still missing; its package is $(package_choice "$program")"
  done
}

has_program() {
  case $1 in
    javac) find_jdk >/dev/null ;;
    java) find_java >/dev/null ;;
    libc-headers) [ -e /usr/include/stdio.h ] ;;
    ensurepip | pyftpdlib | matplotlib | scipy | lxml) has_python_module "$1" ;;
    nginx-stream) [ -e /usr/lib/nginx/modules/ngx_stream_module.so ] ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# has_python_module NAME: the distribution's packages are for its own Python, which may not be the first in the PATH
has_python_module() { python_with "$1" >/dev/null; }

# python_with NAME: the first Python that has the module
python_with() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -I -c "import $1" >/dev/null 2>&1; then
      echo "$python"
      return 0
    fi
  done
  return 1
}

# said_yes: whether the user, or the environment, has agreed in advance to install packages
said_yes() {
  [ "${MALOB_YES:-}" = 1 ] || [ "${CI:-}" = true ] || [ "${DEBIAN_FRONTEND:-}" = noninteractive ]
}

# may_install PACKAGE… : asks on a terminal. Without a terminal, root has agreed by calling us; other users must agree explicitly. Exits with 3 otherwise
may_install() {
  local answer='' hint="run as root: apt-get install $*; or let MALOB do it: ./malob --yes …, or MALOB_YES=1"
  if said_yes; then
    return
  fi
  if [ -t 0 ] && [ -t 2 ]; then
    printf 'malob: install %s and their dependencies with apt-get? [Y/n] ' "$*" >&2
    if ! read -r -t "$QUESTION_S" answer; then
      printf '\n' >&2
      fail 3 "no answer: $hint"
    fi
    case $answer in
      '' | [Yy] | [Yy][Ee][Ss]) ;;
      *) fail 3 "nothing was installed: $hint" ;;
    esac
  elif [ "$(id -u)" != 0 ]; then
    fail 3 "$hint"
  fi
}

# install_packages PROGRAM…
install_packages() {
  local as_root=() packages=() program
  for program in "$@"; do
    packages+=("$(package_of "$program" | cut -d'|' -f1 | cut -d' ' -f1)")
  done
  command -v apt-get >/dev/null ||
    fail 3 "no apt-get on this machine: install the equivalents of Debian's ${packages[*]} yourself"
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || fail 3 "run as root: apt-get install ${packages[*]}"
  may_install "${packages[@]}"
  if [ "$(id -u)" != 0 ]; then
    as_root=(sudo)
    # without a terminal sudo cannot ask for a password
    [ -t 0 ] || as_root=(sudo -n)
    "${as_root[@]}" true 2>/dev/null || fail 3 "run as root: apt-get install ${packages[*]}"
  fi
  "${as_root[@]}" apt-get -qq update >&2 </dev/null || say "apt-get update failed; trying with the old package lists"
  packages=()
  for program in "$@"; do
    packages+=("$(package_choice "$program")")
  done
  say "installing: ${packages[*]}"
  local log
  log=$(mktemp)
  # apt-get's exit code does not matter: the caller checks that the programs are there
  "${as_root[@]}" bash "$MALOB_ROOT/scripts/malob/launcher/apt_install.sh" "$POLICY_FILE" "$UNNEEDED_SERVICES" "${packages[@]}" \
    >"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2 && say "apt-get reported a failure (above)"; }
  grep '^malob: ' "$log" >&2 || true
  rm -f "$log"
  hash -r
}

# package_choice PROGRAM: the first of its packages that this distribution has
package_choice() {
  local candidates candidate
  read -ra candidates <<<"$(package_of "$1" | cut -d'|' -f1)"
  for candidate in "${candidates[@]}"; do
    if apt-cache show "$candidate" >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  echo "${candidates[0]}"
}
