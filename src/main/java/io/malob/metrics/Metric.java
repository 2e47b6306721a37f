package io.malob.metrics;

import com.google.common.collect.ImmutableList;
import io.malob.state.network.ServerValue;

/**
 * MALOB's own metrics, which docs/reference/metrics.md lists. Base units are seconds, bytes and,
 * for links, bits per second. Labels have as many values as the catalog has items, the network has
 * switches and links, and the code has reasons: none comes from packets.
 */
enum Metric {
  PLACEMENTS(
      Kind.COUNTER,
      "malob_placements",
      "New connections by outcome",
      "service",
      "algorithm",
      "outcome"),
  PLACEMENT_TIME(
      Kind.HISTOGRAM,
      "malob_placement_seconds",
      "From reading a connection's first packet to sending its rules"),
  PACKET_INS(Kind.COUNTER, "malob_packet_ins", "Packet-ins by outcome", "outcome"),
  PACKET_IN_DROPS(
      Kind.COUNTER, "malob_packet_in_drops", "Packet-ins dropped because of overload", "class"),
  REFUSALS(Kind.COUNTER, "malob_refusals", "Rejected packets and connections", "reason"),
  NETWORK_REFUSALS(
      Kind.COUNTER, "malob_network_refusals", "Rejected link probes and switch messages", "reason"),
  EJECTIONS(Kind.COUNTER, "malob_ejections", "Members ejected by outlier detection", "why"),
  WAITING(
      Kind.GAUGE,
      "malob_waiting_packets",
      "Packets waiting for a host location or a switch's rules"),
  OPEN(Kind.GAUGE, "malob_open_connections", "Connections with rules"),
  DORMANT(
      Kind.GAUGE,
      "malob_dormant_connections",
      "Connections remembered after their rules have expired"),
  IPV6_ADDRESSES(
      Kind.GAUGE, "malob_ipv6_addresses", "IPv6 addresses of VIPs, members and clients in use"),
  UNSENT(
      Kind.COUNTER,
      "malob_unsent_batches",
      "Message batches not sent: switch absent or not reading"),
  REFUSED_RULES(
      Kind.COUNTER, "malob_refused_rules", "Rules rejected by a switch", "switch", "reason"),
  PATH_CHANGES(Kind.COUNTER, "malob_path_changes", "Rerouted labels and flows", "cause", "outcome"),
  LONG_FLOWS(Kind.GAUGE, "malob_long_flows", "Long flows with high throughput"),
  AUDITS(
      Kind.COUNTER,
      "malob_audit_findings",
      "Differences between switches' rules and the expected ones",
      "finding"),
  RECORDS(
      Kind.COUNTER,
      "malob_connection_records",
      "Connection records, written or dropped",
      "outcome"),
  VIP_ACTIVE(
      Kind.GAUGE,
      "malob_vip_active_connections",
      "Connections that have not ended; see connection_limit",
      "vip"),
  VIP_PLACEMENT(
      Kind.GAUGE,
      "malob_vip_placement",
      "1 for the state of a VIP that is or may become proactive, else 0",
      "vip",
      "state"),
  VIP_EDGES(Kind.GAUGE, "malob_vip_edges", "Client edges of such a VIP by state", "vip", "state"),
  VIP_FALLBACK_EDGES(
      Kind.GAUGE,
      "malob_vip_fallback_edges",
      "Client edges that are reactive although the VIP is proactive",
      "vip"),
  VIP_BUCKETS(
      Kind.GAUGE, "malob_vip_buckets", "Buckets that lead or move to the member", "vip", "member"),
  VIP_MOVING_BUCKETS(Kind.GAUGE, "malob_vip_moving_buckets", "Buckets that are moving", "vip"),
  VIP_BUCKET_MOVES(Kind.COUNTER, "malob_vip_bucket_moves", "Moves of buckets", "vip"),
  VIP_BUCKET_PACKETS(
      Kind.GAUGE,
      "malob_vip_bucket_packets_per_second",
      "Clients' packets that take buckets",
      "vip"),
  MEMBER_ACTIVE(
      Kind.GAUGE,
      "malob_member_active_connections",
      "Connections through VIPs that have not ended",
      "member",
      "pool"),
  MEMBER_ESTIMATED(
      Kind.GAUGE,
      "malob_member_estimated_connections",
      "Those of them that switches have placed, by estimate",
      "member",
      "pool"),
  MEMBER_FOREIGN(
      Kind.GAUGE,
      "malob_member_foreign_connections",
      "Connections outside VIPs, from the agent",
      "member",
      "pool"),
  MEMBER_LOCATED(
      Kind.GAUGE,
      "malob_member_located",
      "1 if the member's location is known, else 0",
      "member",
      "pool"),
  MEMBER_CONNECTIONS(
      Kind.COUNTER,
      "malob_member_connections",
      "Connections placed on the member",
      "member",
      "pool"),
  MEMBER_REQUEST_BYTES(
      Kind.COUNTER,
      "malob_member_request_bytes",
      "Bytes to the member, by expired rules",
      "member",
      "pool"),
  MEMBER_REPLY_BYTES(
      Kind.COUNTER,
      "malob_member_reply_bytes",
      "Bytes from the member, by expired rules",
      "member",
      "pool"),
  MEMBER_REPLY_RULES(
      Kind.COUNTER,
      "malob_member_reply_rules",
      "Rules counted in malob_member_reply_bytes_total",
      "member",
      "pool"),
  MEMBER_CPU(
      Kind.GAUGE,
      "malob_member_cpu_ratio",
      "CPU utilization from 0 to 1, from the agent",
      "member",
      "pool"),
  MEMBER_RESPONSE(
      Kind.GAUGE,
      "malob_member_response_seconds",
      "Response time, from the agent",
      "member",
      "pool"),
  SWITCHES(Kind.GAUGE, "malob_switches", "Switches with this controller as master"),
  SWITCH_RULES(
      Kind.GAUGE, "malob_switch_rules", "Rules in a table of the switch", "switch", "table"),
  SWITCH_MAX_RULES(
      Kind.GAUGE,
      "malob_switch_max_rules",
      "Max number of rules in a table of the switch",
      "switch",
      "table"),
  CONTROL_ROUND_TRIP(
      Kind.GAUGE, "malob_control_round_trip_seconds", "Round trip to the switch", "switch"),
  PORT_STATISTICS(
      Kind.COUNTER,
      "malob_port_statistics",
      "Polls of port statistics by outcome",
      "switch",
      "outcome"),
  LINK_LATENCY(
      Kind.GAUGE, "malob_link_latency_seconds", "One-way latency of the link", Metric.LINK),
  LINK_USE(Kind.GAUGE, "malob_link_use_bits_per_second", "Traffic on the link", Metric.LINK),
  LINK_FREE(
      Kind.GAUGE, "malob_link_free_bits_per_second", "Free capacity of the link", Metric.LINK),
  LINK_CAPACITY(
      Kind.GAUGE, "malob_link_capacity_bits_per_second", "Capacity of the link", Metric.LINK),
  LINK_CONNECTIONS(Kind.GAUGE, "malob_link_connections", "Connections over the link", Metric.LINK),
  PROBES(Kind.COUNTER, "malob_probes", "Latency probes by kind and outcome", "kind", "outcome"),
  PROBE_DISCARDS(
      Kind.COUNTER, "malob_probe_discards", "Discarded probe frames and results", "reason"),
  REPORTS(Kind.COUNTER, "malob_reports_accepted", "Accepted agent reports"),
  REPORT_DROPS(Kind.COUNTER, "malob_report_drops", "Dropped agent reports", "reason"),
  PEERS(Kind.GAUGE, "malob_peers", "Reached controllers of the cluster"),
  PEER_MESSAGES(
      Kind.COUNTER,
      "malob_peer_messages",
      "Messages between controllers of the cluster",
      "direction"),
  PEER_DAMAGED(
      Kind.COUNTER,
      "malob_peer_damaged",
      "Messages of other controllers that could not be read, and had no effect"),
  PEER_BYTES(
      Kind.COUNTER, "malob_peer_bytes", "Bytes between controllers of the cluster", "direction"),
  PEER_QUEUE(Kind.GAUGE, "malob_peer_queue_bytes", "Size of messages that wait for a controller"),
  RELAYED_BATCHES(
      Kind.COUNTER,
      "malob_relayed_batches",
      "Batches of messages for switches between controllers of the cluster",
      "direction",
      "outcome"),
  RELAYED_ERRORS(
      Kind.COUNTER,
      "malob_relayed_errors",
      "Errors of switches sent back to the controllers that caused them");

  /** A link in one direction. */
  private static final String LINK = "src,src_port,dst,dst_port";

  /** The type of a metric in Prometheus. */
  enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM
  }

  private final Kind kind;
  private final String base;
  private final String help;
  private final ImmutableList<String> labels;

  Metric(Kind kind, String base, String help, String... labels) {
    this.kind = kind;
    this.base = base;
    this.help = help;
    this.labels =
        labels.length == 1
            ? ImmutableList.copyOf(labels[0].split(",", -1))
            : ImmutableList.copyOf(labels);
  }

  /** The metric of a value that agents measure on servers; its labels are member and pool. */
  static Metric of(ServerValue value) {
    return switch (value) {
      case CPU -> MEMBER_CPU;
      case RESPONSE -> MEMBER_RESPONSE;
    };
  }

  Kind kind() {
    return kind;
  }

  /** Without the suffix that counters have when they are scraped. */
  String base() {
    return base;
  }

  /** The name in queries; a histogram's series have further suffixes. */
  String fullName() {
    return kind == Kind.COUNTER ? base + "_total" : base;
  }

  String help() {
    return help;
  }

  ImmutableList<String> labels() {
    return labels;
  }
}
