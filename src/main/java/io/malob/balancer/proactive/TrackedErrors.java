package io.malob.balancer.proactive;

import io.malob.balancer.proactive.SharedRules.Part;
import io.malob.balancer.proactive.SharedRules.Place;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.TrackedErrorRules;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The rules for ICMP errors to the addresses of tracked VIPs: the switch that tracks a connection
 * knows the member whose packet an error quotes. For one thread at a time.
 */
final class TrackedErrors {
  private final SharedRules shared;

  /** Errors to an address. */
  private record Errors(IPAddress<?> vip, int vlan, int zone) implements Part {
    @Override
    public List<OFFlowAdd> rules(OFFactory factory) {
      return TrackedErrorRules.of(factory, vip, vlan, zone);
    }
  }

  TrackedErrors(Programmed programmed) {
    this.shared = new SharedRules(programmed);
  }

  /** Brings the rules up to date. */
  void advance(Collection<ProactiveVip> vips, long nowNanos) {
    Map<Place, Part> wanted = new HashMap<>();
    for (ProactiveVip vip : vips) {
      BucketTraffic traffic = vip.traffic();
      if (traffic.isTracked()) {
        Errors errors = new Errors(traffic.address(), traffic.vlan(), traffic.zone());
        vip.edges().stream()
            .filter(EdgeBuckets::hasRules)
            .forEach(edge -> wanted.put(new Place(edge.switchId(), errors), errors));
      }
    }
    shared.set(wanted, nowNanos);
  }
}
