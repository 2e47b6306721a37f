package io.malob.balancer.api;

import java.util.Locale;

/**
 * The reason why a packet to a VIP, or with the address of a VIP or a server as its source, was
 * rejected.
 */
public enum RejectReason {
  /** No VIP takes that protocol and port. */
  NO_VIP,
  /** The VIP does not allow the client's address. */
  NOT_ALLOWED,
  /** The same, dropped by the client's switch; counted when the switch reports it. */
  DROPPED_AT_EDGE,
  /** The VIP has no pool. */
  NO_POOL,
  /** The pool has no located member. */
  NO_MEMBER,
  /** No member can be reached from the client and back. */
  NO_ROUTE,
  /** Every member already has a connection that this one could not be distinguished from. */
  NO_DISTINCT_MEMBER,
  /** The client and every other member are behind one router, so replies would pass no switch. */
  SAME_NEXT_HOP,
  /** The client's switch has no source port left to a member of a pool with source_nat. */
  NO_SOURCE_PORT,
  /** The VIP has reached its limit of connections. */
  VIP_FULL,
  /** Every eligible member has reached its limit of connections. */
  MEMBERS_FULL,
  /** Too many IPv6 addresses are in use. */
  ADDRESSES_FULL,
  /** The client's location is unknown. */
  NO_CLIENT,
  /** A TCP segment without SYN of an unknown connection. */
  UNKNOWN_CONNECTION,
  /** A member's segment of an unknown connection: it may be to any of several VIPs. */
  UNKNOWN_REPLY,
  /** The balancer has reached its limit of connections. */
  LIMIT,
  /** Too many connections to its VIP are half open. */
  HALF_OPEN,
  /** Too many packets are pending for the same reason. */
  QUEUE_FULL,
  /** The switches did not confirm the rules of the path. */
  PATH_FAILED,
  /** A switch rejected a rule of the connection, for example because its table is full. */
  RULE_REFUSED,
  /** A connection no longer counts, because its client's switch has been away for too long. */
  SWITCH_AWAY,
  /** A packet of another controller's connection, and messages do not reach that controller. */
  OWNER_NOT_REACHED,
  /** A labelled packet without a known connection. */
  LOST_LABEL,
  /** A fragment of a TCP or UDP packet: later fragments do not identify their connection. */
  FRAGMENT,
  /** IPv6 with a routing header: it lists routers to visit, and so can evade rules. */
  ROUTING_HEADER,
  /** A frame with two VLAN tags (QinQ) in the VLAN of the VIP. */
  DOUBLE_TAGGED,
  /** The packet is malformed, or is not TCP, UDP or an ICMP echo. */
  NOT_BALANCED,
  /**
   * A host uses the address of a VIP, or of a server that has just answered at another location.
   */
  SPOOFED,
  /** A server seems to have moved. Its old location is being probed. */
  IN_DOUBT;

  /** The published name. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
