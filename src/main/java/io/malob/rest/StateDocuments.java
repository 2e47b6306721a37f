package io.malob.rest;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.Algorithm;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.ProfileStats;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.capability.SwitchCapability;
import io.malob.capability.SwitchFeature;
import io.malob.capability.TableUse;
import io.malob.json.Json;
import io.malob.latency.ControlRoundTrip;
import io.malob.latency.ILatencyService;
import io.malob.latency.LatencyCounters;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The documents that show the state of the services, where a service's own record does not. */
final class StateDocuments {
  private static final double NANOS_PER_MILLISECOND = 1e6;

  private StateDocuments() {}

  /** All algorithms. */
  static List<?> algorithms() {
    return Algorithm.descriptions().entrySet().stream()
        .map(each -> Json.fields("name", each.getKey(), "description", each.getValue()))
        .toList();
  }

  /** The paths that connections use. */
  static List<?> paths(IBalancerService balancer) {
    return balancer.paths().stream()
        .map(
            stats ->
                Json.fields(
                    "label", stats.label(),
                    "switches", stats.path().switches(),
                    "connections", stats.connections(),
                    "active", stats.active()))
        .toList();
  }

  /** The learnt traffic of services' connections. */
  static List<?> profiles(IBalancerService balancer) {
    return balancer.profiles().stream().map(StateDocuments::profile).toList();
  }

  private static Map<String, @Nullable Object> profile(ProfileStats profile) {
    return Json.fields(
        "vip_id", profile.vipId(),
        "service_id", profile.serviceId(),
        "ftp_data", profile.isFtpData(),
        "samples", profile.samples(),
        "reply_bytes", Math.round(profile.replyBytes()),
        "request_bytes", Math.round(profile.requestBytes()),
        "service_ms", millis(profile.serviceNanos()),
        "members",
            profile.serviceNanosByMember().entrySet().stream()
                .map(
                    each -> Json.fields("id", each.getKey(), "service_ms", millis(each.getValue())))
                .toList());
  }

  /** Milliseconds, to the microsecond. */
  private static double millis(double nanos) {
    return Json.rounded(nanos / NANOS_PER_MILLISECOND);
  }

  /** Outcomes of probes, and control channels. */
  private record Latency(@JsonUnwrapped LatencyCounters counters, List<?> switches) {}

  /** The state of the latency measurements. */
  static Object latency(ILatencyService latency) {
    return new Latency(
        latency.counters(),
        latency.controlRoundTrips().entrySet().stream()
            .map(each -> control(each.getKey(), each.getValue()))
            .toList());
  }

  private static Map<String, @Nullable Object> control(
      DatapathId switchId, ControlRoundTrip roundTrip) {
    OptionalLong nanos = roundTrip.nanos();
    return Json.fields(
        "switch",
        switchId,
        "method",
        roundTrip.method(),
        "control_round_trip_ms",
        nanos.isPresent() ? millis((double) nanos.getAsLong()) : null);
  }

  /** What switches can do, and how full their tables are. */
  static List<?> switches(ISwitchCapabilityService service) {
    ImmutableSortedMap<DatapathId, ImmutableSortedMap<Integer, TableUse>> tables = service.tables();
    return service.capabilities().entrySet().stream()
        .map(
            each ->
                ofSwitch(
                    each.getKey(),
                    each.getValue(),
                    tables.getOrDefault(each.getKey(), ImmutableSortedMap.of())))
        .toList();
  }

  private static Map<String, @Nullable Object> ofSwitch(
      DatapathId switchId, SwitchCapability capability, Map<Integer, TableUse> tables) {
    return Json.fields(
        "switch", switchId,
        "role", capability.roleText(),
        "layout", capability.layoutText(),
        "source", capability.source(),
        "ipv6", capability.translatesIpv6(),
        "refused", capability.refused().stream().map(SwitchFeature::text).toList(),
        "connection_tracking", tracking(capability),
        "tables",
            tables.entrySet().stream().map(each -> table(each.getKey(), each.getValue())).toList());
  }

  private static @Nullable Boolean tracking(SwitchCapability capability) {
    return switch (capability.tracking()) {
      case PENDING -> null;
      case ACCEPTED -> true;
      case REFUSED -> false;
    };
  }

  private static Map<String, @Nullable Object> table(int table, TableUse use) {
    return Json.fields("table", table, "rules", use.rules(), "max", use.maxRules());
  }
}
