package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A view of the host's network for packet handling. Immutable.
 *
 * @param inside empty while the switch does not have its port
 * @param byNumber the uplinks whose ports the switch has, by number
 * @param byPort the same, by port
 * @param usable those that are alive, in the order of their numbers
 */
record Wiring(
    HostView view,
    Optional<InsideEnd> inside,
    ImmutableMap<Integer, UplinkEnd> byNumber,
    ImmutableMap<OFPort, UplinkEnd> byPort,
    ImmutableList<UplinkView> usable) {

  static Wiring of(HostView view) {
    ImmutableMap.Builder<Integer, UplinkEnd> byNumber = ImmutableMap.builder();
    ImmutableMap.Builder<OFPort, UplinkEnd> byPort = ImmutableMap.builder();
    for (UplinkView each : view.uplinks()) {
      if (each.port().isPresent()) {
        UplinkEnd end = end(each, each.port().get());
        byNumber.put(end.number(), end);
        byPort.put(end.port(), end);
      }
    }
    Inside inside = view.network().inside();
    return new Wiring(
        view,
        view.insidePort()
            .map(
                port ->
                    new InsideEnd(
                        port, inside.mac(), inside.gatewayMac(), inside.ipv4(), inside.ipv6())),
        byNumber.build(),
        byPort.build(),
        view.uplinks().stream()
            .filter(each -> each.alive() && each.port().isPresent())
            .collect(ImmutableList.toImmutableList()));
  }

  private static UplinkEnd end(UplinkView each, OFPort port) {
    Uplink uplink = each.uplink();
    return new UplinkEnd(
        each.number(),
        port,
        uplink.mac(),
        uplink.ipv4(),
        uplink.gatewayIpv4(),
        each.gatewayMac(),
        uplink.ipv6(),
        uplink.gatewayIpv6(),
        each.gatewayMac6());
  }

  /** The same without usable uplinks. */
  Wiring withoutUplinks() {
    return new Wiring(view, inside, byNumber, byPort, ImmutableList.of());
  }

  DatapathId switchId() {
    return view.network().switchId();
  }

  /** The host's end, which the switch must have. */
  InsideEnd host() {
    return inside.orElseThrow();
  }

  /** The name of an uplink, by its number. */
  String nameOf(int number) {
    return view.uplinks().stream()
        .filter(each -> each.number() == number)
        .map(each -> each.uplink().name())
        .findFirst()
        .orElse("");
  }

  /** Whether this uplink is alive and can carry flows of that kind. */
  boolean isUsable(int number, FlowKey key) {
    @Nullable UplinkEnd end = byNumber.get(number);
    return end != null
        && end.carries(key.version())
        && inside.flatMap(used -> used.address(key.version())).isPresent()
        && usable.stream().anyMatch(each -> each.number() == number);
  }

  /** The uplink of a flow; empty if it was removed or changed. */
  Optional<UplinkEnd> uplinkOf(Flow flow) {
    @Nullable UplinkEnd end = byNumber.get(flow.uplink());
    if (end == null || !isUsable(flow.uplink(), flow.key())) {
      return Optional.empty();
    }
    return end.address(flow.key().version()).filter(flow.address()::equals).isPresent()
        ? Optional.of(end)
        : Optional.empty();
  }

  /** Whether rules that do not belong to flows are the same with both. */
  boolean hasRulesOf(Wiring other) {
    return switchId().equals(other.switchId())
        && inside.equals(other.inside)
        && byNumber.equals(other.byNumber);
  }
}
