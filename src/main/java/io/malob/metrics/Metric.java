package io.malob.metrics;

import com.google.common.collect.ImmutableList;
import io.malob.state.network.ServerValue;

/**
 * The metrics of MALOB's own: what docs/reference/metrics.md lists. Base units are seconds, bytes
 * and, for links, bits per second. Labels have as many values as the catalog has items, the network
 * has switches and links, and the code has reasons: none comes from packets.
 */
enum Metric {
  PLACEMENTS(
      Kind.COUNTER,
      "malob_placements",
      "New connections by what became of them: placed, or why not",
      "service",
      "algorithm",
      "outcome"),
  PLACEMENT_TIME(
      Kind.HISTOGRAM,
      "malob_placement_seconds",
      "From reading a connection's first packet to handing over its rules, waiting for hosts and"
          + " labels included"),
  PACKET_INS(Kind.COUNTER, "malob_packet_ins", "Packet-ins by what became of them", "outcome"),
  PACKET_IN_DROPS(
      Kind.COUNTER,
      "malob_packet_in_drops",
      "Packet-ins that were dropped unseen, because more came than could be handled",
      "class"),
  REFUSALS(Kind.COUNTER, "malob_refusals", "Packets and connections that were refused", "reason"),
  NETWORK_REFUSALS(
      Kind.COUNTER,
      "malob_network_refusals",
      "What came from the network and was not believed: probes of links, messages of switches",
      "reason"),
  EJECTIONS(
      Kind.COUNTER,
      "malob_ejections",
      "Members that were left out for a while because connections got no answer (no_reply) or their"
          + " agent's did not (refuses)",
      "why"),
  WAITING(
      Kind.GAUGE,
      "malob_waiting_packets",
      "Packets that wait for a host to be found or a switch to be read"),
  OPEN(Kind.GAUGE, "malob_open_connections", "Connections that have rules"),
  DORMANT(
      Kind.GAUGE,
      "malob_dormant_connections",
      "Connections that are remembered after their rules have ended"),
  UNSENT(
      Kind.COUNTER,
      "malob_unsent_batches",
      "Groups of messages that a switch was not there for, or did not read"),
  REFUSED_RULES(
      Kind.COUNTER,
      "malob_refused_rules",
      "Rules that a switch did not accept",
      "switch",
      "reason"),
  PATH_CHANGES(
      Kind.COUNTER,
      "malob_path_changes",
      "Labels led around broken links (broken_link) and flows led to wider paths (long_flow)",
      "cause",
      "outcome"),
  LONG_FLOWS(Kind.GAUGE, "malob_long_flows", "Flows that carry much for long"),
  AUDITS(
      Kind.COUNTER,
      "malob_audit_findings",
      "What comparing switches' rules with the controller's state brought up",
      "finding"),
  RECORDS(
      Kind.COUNTER,
      "malob_connection_records",
      "Records of connections that were written or dropped",
      "outcome"),
  VIP_ACTIVE(
      Kind.GAUGE,
      "malob_vip_active_connections",
      "Connections that have not ended; see connection_limit",
      "vip"),
  MEMBER_ACTIVE(
      Kind.GAUGE,
      "malob_member_active_connections",
      "Connections through VIPs that have not ended",
      "member",
      "pool"),
  MEMBER_FOREIGN(
      Kind.GAUGE,
      "malob_member_foreign_connections",
      "Connections that did not come through a VIP, as its agent reports",
      "member",
      "pool"),
  MEMBER_LOCATED(
      Kind.GAUGE,
      "malob_member_located",
      "1 if the network knows where the member is attached",
      "member",
      "pool"),
  MEMBER_CONNECTIONS(
      Kind.COUNTER,
      "malob_member_connections",
      "Connections that were placed on the member",
      "member",
      "pool"),
  MEMBER_REQUEST_BYTES(
      Kind.COUNTER,
      "malob_member_request_bytes",
      "Bytes to the member, counted when a connection's rule ends",
      "member",
      "pool"),
  MEMBER_REPLY_BYTES(
      Kind.COUNTER,
      "malob_member_reply_bytes",
      "Bytes from the member by the rules whose end is told: a sample, or all while connections"
          + " are recorded",
      "member",
      "pool"),
  MEMBER_REPLY_RULES(
      Kind.COUNTER,
      "malob_member_reply_rules",
      "Rules that malob_member_reply_bytes_total is the sum of",
      "member",
      "pool"),
  MEMBER_CPU(
      Kind.GAUGE,
      "malob_member_cpu_ratio",
      "Use of the server's processors from 0 to 1, as its agent reports",
      "member",
      "pool"),
  MEMBER_RESPONSE(
      Kind.GAUGE,
      "malob_member_response_seconds",
      "The service's time to answer, as its agent reports",
      "member",
      "pool"),
  SWITCHES(Kind.GAUGE, "malob_switches", "Switches that this controller is master of"),
  SWITCH_RULES(
      Kind.GAUGE,
      "malob_switch_rules",
      "Rules in a table of a switch, as it says",
      "switch",
      "table"),
  CONTROL_ROUND_TRIP(
      Kind.GAUGE, "malob_control_round_trip_seconds", "To a switch and back", "switch"),
  PORT_STATISTICS(
      Kind.COUNTER,
      "malob_port_statistics",
      "Requests for port statistics by what became of them",
      "switch",
      "outcome"),
  LINK_LATENCY(
      Kind.GAUGE, "malob_link_latency_seconds", "One way, measured by probes", Metric.LINK),
  LINK_USE(
      Kind.GAUGE,
      "malob_link_use_bits_per_second",
      "What the link carries, by its port's counters",
      Metric.LINK),
  LINK_FREE(
      Kind.GAUGE,
      "malob_link_free_bits_per_second",
      "What is left of its capacity, or what an agent has measured",
      Metric.LINK),
  LINK_CAPACITY(
      Kind.GAUGE,
      "malob_link_capacity_bits_per_second",
      "The port's speed, or what an operator has set",
      Metric.LINK),
  LINK_CONNECTIONS(Kind.GAUGE, "malob_link_connections", "Connections over the link", Metric.LINK),
  PROBES(
      Kind.COUNTER,
      "malob_probes",
      "Probes of links (link) and of the way to switches (control) by what became of them",
      "kind",
      "outcome"),
  PROBE_DISCARDS(
      Kind.COUNTER,
      "malob_probe_discards",
      "Probe frames that were ignored and results that were not used",
      "reason"),
  REPORTS(Kind.COUNTER, "malob_reports_accepted", "Reports of agents that counted"),
  REPORT_DROPS(Kind.COUNTER, "malob_report_drops", "Reports of agents that were dropped", "reason");

  /** A link in one direction. */
  private static final String LINK = "src,src_port,dst,dst_port";

  /** How Prometheus takes a metric. */
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

  /** The metric of what agents measure of servers; its labels are member and pool. */
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
