package io.malob.endhost;

import com.google.common.math.Quantiles;
import io.malob.json.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.OFValueType;

/** Shows the state as JSON values. Reads only thread-safe values. */
record HostStatus(
    OpenFlows flows,
    UplinkChoice choice,
    Refusals refusals,
    FirstPackets firstPackets,
    Races races) {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  Map<String, @Nullable Object> status(Optional<HostView> view, boolean connected) {
    Map<String, @Nullable Object> status =
        Json.fields("configured", view.isPresent(), "connected", connected);
    view.ifPresent(
        now -> {
          HostNetwork network = now.network();
          status.put("switch", network.switchId().toString());
          status.put("algorithm", network.algorithm());
          status.put("default_uplink", network.defaultUplink().orElse(null));
          status.put("race_ports", network.racePorts().asList());
          status.put("inside", inside(network.inside()));
          status.put("uplinks", now.uplinks().stream().map(this::uplink).toList());
        });
    status.put("flows", counts(view));
    status.put("first_packet_ms", firstPacketMillis());
    status.put("races", raceCounts());
    return status;
  }

  private Map<String, @Nullable Object> counts(Optional<HostView> view) {
    List<UplinkCounts> all =
        view.stream()
            .flatMap(now -> now.uplinks().stream())
            .map(each -> flows.counts(each.number()))
            .toList();
    Map<String, @Nullable Object> shown =
        Json.fields(
            "open", all.stream().mapToInt(each -> each.open.get()).sum(),
            "total", all.stream().mapToLong(each -> each.total.sum()).sum());
    // if the switch distributes flows itself, the controller does not see each flow
    shown.put(
        "known",
        view.filter(now -> now.network().algorithm().equals(UplinkChoice.GROUP)).isEmpty());
    shown.put("refused", refusals.counts());
    return shown;
  }

  private static Map<String, @Nullable Object> inside(Inside inside) {
    return Json.fields(
        "port", inside.port(),
        "mac", inside.mac().toString(),
        "gateway_mac", inside.gatewayMac().toString(),
        "ipv4", inside.ipv4().toString(),
        "gateway_ipv4", inside.gatewayIpv4().toString(),
        "ipv6", text(inside.ipv6()),
        "gateway_ipv6", text(inside.gatewayIpv6()));
  }

  private static @Nullable String text(Optional<? extends OFValueType<?>> value) {
    return value.map(Object::toString).orElse(null);
  }

  private Map<String, @Nullable Object> uplink(UplinkView view) {
    Uplink uplink = view.uplink();
    UplinkCounts counts = flows.counts(view.number());
    Map<String, @Nullable Object> shown =
        Json.fields(
            "name", uplink.name(),
            "port", uplink.port(),
            "mac", uplink.mac().toString(),
            "weight", uplink.weight(),
            "ipv4", text(uplink.ipv4()),
            "gateway_ipv4", text(uplink.gatewayIpv4()),
            "ipv6", text(uplink.ipv6()),
            "gateway_ipv6", text(uplink.gatewayIpv6()),
            "number", view.number(),
            "alive", view.alive(),
            "avoided", choice.answers().isAvoided(view.number()),
            "gateway_mac", text(view.gatewayMac()),
            "gateway_mac6", text(view.gatewayMac6()));
    boolean unknown = view.capacitySource().equals("unknown");
    shown.put("capacity_bps", unknown ? null : view.capacityBps());
    shown.put("capacity_source", view.capacitySource());
    shown.put("rate_bps", view.rateBps());
    shown.put("sent_bps", view.sentBps());
    shown.put(
        "round_trip_ms",
        view.roundTripNanos() == 0 ? null : view.roundTripNanos() / NANOS_PER_MILLI);
    Map<String, @Nullable Object> flowCounts =
        Json.fields(
            "open", counts.open.get(),
            "total", counts.total.sum(),
            "reset", counts.reset.sum(),
            "moved", counts.moved.sum());
    shown.put("flows", flowCounts);
    shown.put("bytes", bytes(view.number(), counts));
    return shown;
  }

  private Map<String, Object> bytes(int uplink, UplinkCounts counts) {
    long received = counts.received.sum();
    long sent = counts.sent.sum();
    for (Flow flow : flows.all()) {
      if (flow.uplink() == uplink) {
        received += flow.receivedBytes();
        sent += flow.sentBytes();
      }
    }
    return Json.fields(
        "received", received,
        "sent", sent);
  }

  private Map<String, @Nullable Object> firstPacketMillis() {
    long[] sorted = firstPackets.sorted();
    return Json.fields(
        "median", percentile(sorted, 50),
        "p99", percentile(sorted, 99));
  }

  private Map<String, @Nullable Object> raceCounts() {
    return Json.fields(
        "total", races.total.sum(),
        "won_by_second", races.wonBySecond.sum(),
        "extra_packets", races.extraPackets.sum());
  }

  private static @Nullable Double percentile(long[] nanos, int percent) {
    return nanos.length == 0
        ? null
        : Quantiles.percentiles().index(percent).compute(nanos) / NANOS_PER_MILLI;
  }

  /** The open flows, newest first, up to a limit. */
  List<Map<String, @Nullable Object>> flows(HostView view, int limit, long nowNanos) {
    List<Flow> open = new ArrayList<>();
    for (Flow flow : flows.all()) {
      if (!flow.isOver()) {
        open.add(flow);
      }
    }
    Comparator<Flow> newestFirst = Comparator.comparingLong(flow -> nowNanos - flow.startedNanos());
    return open.stream()
        .sorted(newestFirst)
        .limit(limit)
        .map(flow -> flow(view, flow, nowNanos))
        .toList();
  }

  private static Map<String, @Nullable Object> flow(HostView view, Flow flow, long nowNanos) {
    return Json.fields(
        "protocol", flow.key().protocolName(),
        "source_port", flow.key().hostPort(),
        "destination", flow.key().peer().toString(),
        "destination_port", flow.key().peerPort(),
        "uplink",
            view.uplinks().stream()
                .filter(each -> each.number() == flow.uplink())
                .map(each -> each.uplink().name())
                .findFirst(),
        "bytes_received", flow.receivedBytes(),
        "seconds", (nowNanos - flow.startedNanos()) / NANOS_PER_SECOND);
  }
}
