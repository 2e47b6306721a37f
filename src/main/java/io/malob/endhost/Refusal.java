package io.malob.endhost;

import java.util.Locale;

/** Why a packet of the host, or for it, was not carried. */
enum Refusal {
  /** No uplink is alive that can carry it. */
  NO_UPLINK,
  /** There are too many flows. */
  TABLE_FULL,
  /** The switch has rejected a flow's rule, for instance because its table is full. */
  RULE_REFUSED,
  /** A TCP segment of an unknown connection, which is reset. */
  UNKNOWN_CONNECTION,
  /** It does not come from the host's internal address. */
  WRONG_SOURCE,
  /** It is malformed. */
  MALFORMED,
  /** An ICMP error above the rate limit. */
  ICMP_RATE,
  /** A fragment above the rate limit. */
  FRAGMENT_RATE,
  /** A fragment of an IPv6 packet. */
  FRAGMENT_IPV6;

  /** Its name in JSON. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
