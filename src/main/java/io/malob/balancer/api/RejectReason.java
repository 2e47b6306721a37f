package io.malob.balancer.api;

import java.util.Locale;

/** Why a packet was not carried: for a VIP address, or in the name of a VIP or a server. */
public enum RejectReason {
  /** No VIP takes that protocol and port. */
  NO_VIP,
  /** The VIP does not allow the client's address. */
  NOT_ALLOWED,
  /** The same, dropped by the client's switch; counted when the switch tells. */
  DROPPED_AT_EDGE,
  /** The VIP has no pool. */
  NO_POOL,
  /** The pool has no member whose place in the network is known. */
  NO_MEMBER,
  /** No member can be reached from the client and back. */
  NO_ROUTE,
  /** Every member has a connection already that could not be told from this one. */
  NO_DISTINCT_MEMBER,
  /** The VIP has as many connections as it may have. */
  VIP_FULL,
  /** Every member that could be chosen has as many connections as it may have. */
  MEMBERS_FULL,
  /** The client's place in the network is not known. */
  NO_CLIENT,
  /** A TCP segment without SYN of an unknown connection. */
  UNKNOWN_CONNECTION,
  /** There are as many connections as there may be. */
  LIMIT,
  /** Too many connections to its VIP are half open. */
  HALF_OPEN,
  /** Too many packets wait for the same. */
  QUEUE_FULL,
  /** The switches did not take the rules of the path. */
  PATH_FAILED,
  /** A switch did not accept a rule of the connection, because its table is full or otherwise. */
  RULE_REFUSED,
  /** A connection counts no more, because its client's switch has been away for so long. */
  SWITCH_AWAY,
  /** A labelled packet that no connection knows. */
  LOST_LABEL,
  /** A part of a TCP or UDP packet: later parts do not say what connection they belong to. */
  FRAGMENT,
  /** Not TCP, UDP or an ICMP echo, or not readable. */
  NOT_BALANCED,
  /** A host sends in the name of a VIP, or of a server that is elsewhere and has just said so. */
  SPOOFED,
  /** A server seems to have moved: the place where it was is asked first. */
  IN_DOUBT;

  /** The name that users see. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
