package io.malob.endhost;

import java.util.Locale;

/** Why a packet of the host, or for it, was not carried. */
enum Refusal {
  /** No uplink is alive that can carry it. */
  NO_UPLINK,
  /** There are too many flows. */
  TABLE_FULL,
  /** The switch has refused a flow's rule: its table is full, for instance. */
  RULE_REFUSED,
  /** A TCP segment of an unknown connection: it is reset. */
  UNKNOWN_CONNECTION,
  /** It does not come from the host's internal address. */
  WRONG_SOURCE,
  /** It cannot be read. */
  MALFORMED,
  /** An ICMP error above the rate at which they are passed on. */
  ICMP_RATE,
  /** A fragment above the rate at which they are carried. */
  FRAGMENT_RATE,
  /** A part of an IPv6 packet. */
  FRAGMENT_IPV6;

  /** Its name in JSON. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
