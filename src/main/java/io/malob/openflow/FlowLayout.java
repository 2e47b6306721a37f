package io.malob.openflow;

import org.projectfloodlight.openflow.types.TableId;

/**
 * The tables of a switch and the priorities of the rules in them. docs/architecture/data-plane.md
 * shows how a packet goes through them.
 */
public final class FlowLayout {
  /** All incoming packets; also the rules of other applications, with lower priority. */
  public static final TableId CLASSIFY = TableId.of(0);

  /** One rule per connection, at the client's edge. */
  public static final TableId REQUESTS = TableId.of(1);

  /** One rule per path that crosses the switch. */
  public static final TableId LABELS = TableId.of(2);

  /** One rule per host on the switch. */
  public static final TableId HOSTS = TableId.of(3);

  /** For a switch with fewer, {@link RuleCompiler} makes other rules. */
  public static final int TABLES = 4;

  // Table 0. A labelled packet is already translated: no other rule may match it.
  static final int PRIORITY_ANNOUNCEMENT = 50_400;
  public static final int PRIORITY_LABELLED = 50_000;
  public static final int PRIORITY_CLOSED = 49_001;
  public static final int PRIORITY_REPLY = 49_000;
  public static final int PRIORITY_PROBE_ANSWER = 48_920;
  public static final int PRIORITY_OVERTAKEN_REPLY = 48_915;
  public static final int PRIORITY_COUNTED_REPLY = 48_910;
  public static final int PRIORITY_MEMBER_REPLY = 48_900;
  public static final int PRIORITY_UNKNOWN_REPLY = 48_890;
  public static final int PRIORITY_FTP_DATA = 48_700;
  public static final int PRIORITY_DENIAL = 48_600;
  public static final int PRIORITY_PINNED_SYN = 48_570;
  public static final int PRIORITY_BUCKET_ENDS = 48_560;
  public static final int PRIORITY_SYNS_TO_BUCKETS = 48_555;
  public static final int PRIORITY_TO_BUCKETS = 48_550;
  public static final int PRIORITY_TCP_FLAGS = 48_500;
  public static final int PRIORITY_TRACKED_ERRORS = 48_460;
  public static final int PRIORITY_TRACKED_FRAGMENTS = 48_455;
  public static final int PRIORITY_VIP_ERRORS = 48_450;
  public static final int PRIORITY_REPORT = 48_200;
  public static final int PRIORITY_SOURCE_ADDRESS = 48_470;
  public static final int PRIORITY_VIP_ARP = 48_010;
  public static final int PRIORITY_VIP_NEIGHBOURS = 48_001;
  public static final int PRIORITY_VIP = 48_000;
  public static final int PRIORITY_PROBE = 47_000;
  public static final int PRIORITY_SUBFLOW = 46_000;

  /** Below the rules of other applications. */
  static final int PRIORITY_TO_HOST = 10;

  // Tables 1 to 3.
  public static final int PRIORITY_MISS = 0;
  public static final int PRIORITY_ENTRY = 1_000;
  public static final int PRIORITY_SAME_PORT = 2_000;

  // Table 1, behind the rules of connections.
  public static final int PRIORITY_TO_SOURCE = 508;
  public static final int PRIORITY_SOURCE_BACK = 507;
  public static final int PRIORITY_SOURCE_TRANSLATED = 506;
  public static final int PRIORITY_REPLY_PATH_BACK = 505;
  public static final int PRIORITY_REPLY_PATH = 504;
  public static final int PRIORITY_TRACKED_PATH = 503;
  public static final int PRIORITY_TRACKED = 502;
  public static final int PRIORITY_CLIENT_BACK = 501;
  public static final int PRIORITY_CLIENT = 500;
  public static final int PRIORITY_LOOK_UP_ANSWER = 499;
  public static final int PRIORITY_LOOK_UP = 498;
  public static final int PRIORITY_UNKNOWN_MEMBER = 497;
  public static final int PRIORITY_MEMBER_AS_CLIENT = 200;

  /** Before buckets, which would track these packets once more. */
  public static final int PRIORITY_UNCOMMITTED = 400;

  /** Between the rules of connections and those of buckets. */
  public static final int PRIORITY_PINNED_ELSEWHERE = 300;

  /** Before buckets: sends the first packets of tracked connections to the controller. */
  public static final int PRIORITY_OPENING = 190;

  /** Behind buckets: opens tracked connections that begin with fragments. */
  public static final int PRIORITY_OPEN_BY_FRAGMENT = 90;

  /** Of the coarsest buckets; each doubling of their number has the next higher priority. */
  public static final int PRIORITY_BUCKET = 100;

  // Table 3, before hosts.
  public static final int PRIORITY_UNTRANSLATED_SOURCE = 3_003;
  public static final int PRIORITY_SOURCE = 3_002;
  public static final int PRIORITY_TRACKED_REPLY = 3_001;
  public static final int PRIORITY_UNTRANSLATED_REPLY = 3_000;

  // Table 2, before labels: sub-flows that continue on another branch, and those that have arrived.
  public static final int PRIORITY_DIVERT = 2_000;
  public static final int PRIORITY_DELIVER = 3_000;

  /**
   * Table 2, before labels: requests of tracked connections that have arrived at their member's.
   */
  public static final int PRIORITY_REMEMBER = 1_050;

  // Table 2, copies that legacy switches have flooded: of a label of the switch, and of others.
  static final int PRIORITY_STRAY = 1_100;
  static final int PRIORITY_COPY = 1;

  // All rules in one table. A packet with a label goes to the host if that is on this switch, and
  // otherwise by its label; the request rules are below those for SYNs.
  public static final int PRIORITY_ONE_TABLE_DELIVER = 50_300;
  static final int PRIORITY_ONE_TABLE_STRAY = 50_250;
  static final int PRIORITY_ONE_TABLE_SAME_PORT = 50_200;
  static final int PRIORITY_ONE_TABLE_HOST = 50_100;
  static final int PRIORITY_ONE_TABLE_COPY = 49_991;
  static final int PRIORITY_UNKNOWN_LABEL = 49_990;
  static final int PRIORITY_ONE_TABLE_REQUEST = 48_400;

  /** Replies of a member of a proactive VIP to a known next hop; those to others are below. */
  public static final int PRIORITY_ONE_TABLE_CLIENT = 48_905;

  /** Packets to a source address, before replies of members. */
  public static final int PRIORITY_ONE_TABLE_SOURCE_ADDRESS = 48_906;

  /** Added to the priorities of buckets and of rules before them, which are below requests. */
  static final int PRIORITY_ONE_TABLE_BUCKETS = 48_000;

  // Sub-flows that do not use the first branch of their route.
  public static final int PRIORITY_ONE_TABLE_LOCAL = 46_100;
  public static final int PRIORITY_ONE_TABLE_DIVERT = 46_050;

  private FlowLayout() {}
}
