package io.malob.balancer.proactive;

import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.TrackedErrorRules;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The rules for ICMP errors to the addresses of tracked VIPs: the switch that tracks a connection
 * knows the member whose packet an error quotes. VIPs of one address share them. For one thread at
 * a time.
 */
final class TrackedErrors {
  private final Programmed programmed;

  /** Those that have rules. */
  private Set<Place> sent = Set.of();

  /** A VIP's address at a switch. */
  private record Place(DatapathId switchId, Owner owner) {}

  private record Owner(IPAddress<?> vip, int vlan, int zone) {}

  TrackedErrors(Programmed programmed) {
    this.programmed = programmed;
  }

  /** Brings the rules up to date. */
  void advance(Collection<ProactiveVip> vips, long nowNanos) {
    Map<Place, Wire> wanted = new HashMap<>();
    for (ProactiveVip vip : vips) {
      BucketTraffic traffic = vip.traffic();
      if (traffic.isTracked()) {
        Owner owner = new Owner(traffic.address(), traffic.vlan(), traffic.zone());
        vip.edges().stream()
            .filter(EdgeBuckets::hasRules)
            .map(EdgeBuckets::switchId)
            .forEach(
                each ->
                    programmed
                        .wire(each)
                        .ifPresent(wire -> wanted.put(new Place(each, owner), wire)));
      }
    }
    for (Place before : sent) {
      if (!wanted.containsKey(before)) {
        programmed.clear(before.switchId, before.owner, nowNanos);
      }
    }
    wanted.forEach((place, wire) -> set(place, wire, nowNanos));
    sent = new HashSet<>(wanted.keySet());
  }

  private void set(Place place, Wire wire, long nowNanos) {
    if (!sent.contains(place)) {
      Owner owner = place.owner;
      wire.sw()
          .set(
              owner,
              TrackedErrorRules.of(wire.factory(), owner.vip, owner.vlan, owner.zone),
              wire.tables(),
              nowNanos);
    }
  }
}
