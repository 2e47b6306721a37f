package io.malob.openflow.uplink;

import org.projectfloodlight.openflow.types.TableId;

/**
 * The tables and priorities of rules on a host's switch. Rules of table 0 match a port and have a
 * higher priority than rules of other modules, so that no other module handles the host's packets.
 */
final class UplinkLayout {
  static final TableId CLASSIFY = TableId.of(0);

  /** None of the balancer's tables. */
  static final TableId FLOWS = TableId.of(4);

  static final int PRIORITY_NEIGHBOURS = 60_500;
  static final int PRIORITY_NOT_OURS = 60_400;
  static final int PRIORITY_ICMP_ERROR = 60_350;
  static final int PRIORITY_TCP_FLAGS = 60_300;
  static final int PRIORITY_FOR_HOST = 60_100;
  static final int PRIORITY_PORT = 60_000;

  static final int PRIORITY_FLOW = 1_000;
  static final int PRIORITY_FRAGMENT = 300;
  static final int PRIORITY_GROUP = 200;
  static final int PRIORITY_UNKNOWN = 100;

  private UplinkLayout() {}
}
