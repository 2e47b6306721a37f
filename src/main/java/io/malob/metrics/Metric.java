package io.malob.metrics;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.malob.state.network.ServerValue;

/**
 * MALOB's own metrics, named after the constants, which docs/reference/metrics.md lists. Base units
 * are seconds, bytes and, for links, bits per second. Labels have as many values as the catalog has
 * items, the network has switches and links, and the code has reasons: none comes from packets.
 */
enum Metric {
  PLACEMENTS(Kind.COUNTER, "New connections by outcome", "service", "algorithm", "outcome"),
  PLACEMENT_SECONDS(
      Kind.HISTOGRAM, "From reading a connection's first packet to sending its rules"),
  PACKET_INS(Kind.COUNTER, "Packet-ins by outcome", "outcome"),
  PACKET_IN_DROPS(Kind.COUNTER, "Packet-ins dropped because of overload", "class"),
  REFUSALS(Kind.COUNTER, "Rejected packets and connections", "reason"),
  NETWORK_REFUSALS(Kind.COUNTER, "Rejected link probes and switch messages", "reason"),
  EJECTIONS(Kind.COUNTER, "Members ejected by outlier detection", "why"),
  WAITING_PACKETS(Kind.GAUGE, "Packets waiting for a host location or a switch's rules"),
  OPEN_CONNECTIONS(Kind.GAUGE, "Connections with rules"),
  DORMANT_CONNECTIONS(Kind.GAUGE, "Connections remembered after their rules have expired"),
  IPV6_ADDRESSES(Kind.GAUGE, "IPv6 addresses of VIPs, members and clients in use"),
  UNSENT_BATCHES(Kind.COUNTER, "Message batches not sent: switch absent or not reading"),
  REFUSED_RULES(Kind.COUNTER, "Rules rejected by a switch", "switch", "reason"),
  PATH_CHANGES(Kind.COUNTER, "Rerouted labels and flows", "cause", "outcome"),
  LONG_FLOWS(Kind.GAUGE, "Long flows with high throughput"),
  AUDIT_FINDINGS(
      Kind.COUNTER, "Differences between switches' rules and the expected ones", "finding"),
  CONNECTION_RECORDS(Kind.COUNTER, "Connection records, written or dropped", "outcome"),
  VIP_ACTIVE_CONNECTIONS(
      Kind.GAUGE, "Connections that have not ended; see connection_limit", "vip"),
  VIP_PLACEMENT(
      Kind.GAUGE,
      "1 for the state of a VIP that is or may become proactive, else 0",
      "vip",
      "state"),
  VIP_EDGES(Kind.GAUGE, "Client edges of such a VIP by state", "vip", "state"),
  VIP_FALLBACK_EDGES(
      Kind.GAUGE, "Client edges that are reactive although the VIP is proactive", "vip"),
  VIP_BUCKETS(Kind.GAUGE, "Buckets that lead or move to the member", "vip", "member"),
  VIP_MOVING_BUCKETS(Kind.GAUGE, "Buckets that are moving", "vip"),
  VIP_BUCKET_MOVES(Kind.COUNTER, "Moves of buckets", "vip"),
  VIP_BUCKET_PACKETS_PER_SECOND(Kind.GAUGE, "Clients' packets that take buckets", "vip"),
  MEMBER_ACTIVE_CONNECTIONS(
      Kind.GAUGE, "Connections through VIPs that have not ended", "member", "pool"),
  MEMBER_ESTIMATED_CONNECTIONS(
      Kind.GAUGE, "Those of them that switches have placed, by estimate", "member", "pool"),
  MEMBER_FOREIGN_CONNECTIONS(
      Kind.GAUGE, "Connections outside VIPs, from the agent", "member", "pool"),
  MEMBER_LOCATED(Kind.GAUGE, "1 if the member's location is known, else 0", "member", "pool"),
  MEMBER_CONNECTIONS(Kind.COUNTER, "Connections placed on the member", "member", "pool"),
  MEMBER_REQUEST_BYTES(Kind.COUNTER, "Bytes to the member, by expired rules", "member", "pool"),
  MEMBER_REPLY_BYTES(Kind.COUNTER, "Bytes from the member, by expired rules", "member", "pool"),
  MEMBER_REPLY_RULES(
      Kind.COUNTER, "Rules counted in malob_member_reply_bytes_total", "member", "pool"),
  MEMBER_CPU_RATIO(Kind.GAUGE, "CPU utilization from 0 to 1, from the agent", "member", "pool"),
  MEMBER_RESPONSE_SECONDS(Kind.GAUGE, "Response time, from the agent", "member", "pool"),
  SWITCHES(Kind.GAUGE, "Switches with this controller as master"),
  SWITCH_RULES(Kind.GAUGE, "Rules in a table of the switch", "switch", "table"),
  SWITCH_MAX_RULES(Kind.GAUGE, "Max number of rules in a table of the switch", "switch", "table"),
  CONTROL_ROUND_TRIP_SECONDS(Kind.GAUGE, "Round trip to the switch", "switch"),
  PORT_STATISTICS(Kind.COUNTER, "Polls of port statistics by outcome", "switch", "outcome"),
  LINK_LATENCY_SECONDS(Kind.GAUGE, "One-way latency of the link", Metric.LINK),
  LINK_USE_BITS_PER_SECOND(Kind.GAUGE, "Traffic on the link", Metric.LINK),
  LINK_FREE_BITS_PER_SECOND(Kind.GAUGE, "Free capacity of the link", Metric.LINK),
  LINK_CAPACITY_BITS_PER_SECOND(Kind.GAUGE, "Capacity of the link", Metric.LINK),
  LINK_CONNECTIONS(Kind.GAUGE, "Connections over the link", Metric.LINK),
  PROBES(Kind.COUNTER, "Latency probes by kind and outcome", "kind", "outcome"),
  PROBE_DISCARDS(Kind.COUNTER, "Discarded probe frames and results", "reason"),
  REPORTS_ACCEPTED(Kind.COUNTER, "Accepted agent reports"),
  REPORT_DROPS(Kind.COUNTER, "Dropped agent reports", "reason"),
  PEERS(Kind.GAUGE, "Reached controllers of the cluster"),
  PEER_MESSAGES(Kind.COUNTER, "Messages between controllers of the cluster", "direction"),
  PEER_DAMAGED(
      Kind.COUNTER, "Messages of other controllers that could not be read, and had no effect"),
  PEER_BYTES(Kind.COUNTER, "Bytes between controllers of the cluster", "direction"),
  PEER_QUEUE_BYTES(Kind.GAUGE, "Size of messages that wait for a controller"),
  RELAYED_BATCHES(
      Kind.COUNTER,
      "Batches of messages for switches between controllers of the cluster",
      "direction",
      "outcome"),
  RELAYED_ERRORS(Kind.COUNTER, "Errors of switches sent back to the controllers that caused them");

  /** A link in one direction. */
  private static final String LINK = "src,src_port,dst,dst_port";

  /** The type of a metric in Prometheus. */
  enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM
  }

  private final Kind kind;
  private final String help;
  private final ImmutableList<String> labels;

  Metric(Kind kind, String help, String... labels) {
    this.kind = kind;
    this.help = help;
    this.labels =
        labels.length == 1
            ? ImmutableList.copyOf(labels[0].split(",", -1))
            : ImmutableList.copyOf(labels);
  }

  /** The metric of a value that agents measure on servers; its labels are member and pool. */
  static Metric of(ServerValue value) {
    return switch (value) {
      case CPU -> MEMBER_CPU_RATIO;
      case RESPONSE -> MEMBER_RESPONSE_SECONDS;
    };
  }

  Kind kind() {
    return kind;
  }

  /** Without the suffix that counters have when they are scraped. */
  String base() {
    return "malob_" + Ascii.toLowerCase(name());
  }

  /** The name in queries; a histogram's series have further suffixes. */
  String fullName() {
    return kind == Kind.COUNTER ? base() + "_total" : base();
  }

  String help() {
    return help;
  }

  ImmutableList<String> labels() {
    return labels;
  }
}
