package io.malob.balancer;

import java.util.Locale;

/** Why a packet for a VIP address was not carried to a member. */
enum RefusalReason {
  /** No VIP takes that protocol and port. */
  NO_VIP,
  /** The VIP has no pool. */
  NO_POOL,
  /** The pool has no member whose place in the network is known. */
  NO_MEMBER,
  /** No member can be reached from the client and back. */
  NO_ROUTE,
  /** Every member has a connection already that could not be told from this one. */
  NO_DISTINCT_MEMBER,
  /** The client's place in the network is not known. */
  NO_CLIENT,
  /** TCP without SYN, of a connection that nobody remembers. */
  UNKNOWN_CONNECTION,
  /** There are as many connections as there may be. */
  LIMIT,
  /** Too many packets wait for the same. */
  QUEUE_FULL,
  /** The switches did not take the rules of the path. */
  PATH_FAILED,
  /** A switch did not accept a rule of the connection, because its table is full or otherwise. */
  RULE_REFUSED,
  /** A labelled packet that no connection knows. */
  LOST_LABEL,
  /** A part of a TCP or UDP packet: later parts do not say what connection they belong to. */
  FRAGMENT,
  /** Not TCP, UDP or an ICMP echo, or not readable. */
  NOT_BALANCED;

  /** The name that users see. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
