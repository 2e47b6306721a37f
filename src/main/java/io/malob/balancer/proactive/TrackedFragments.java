package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import io.malob.balancer.proactive.SharedRules.Part;
import io.malob.balancer.proactive.SharedRules.Place;
import io.malob.openflow.IpFamily;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.FragmentRules;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The rules for fragments of the datagrams of tracked VIPs. They know addresses and no ports, so
 * VIPs of one address share them, and so do VIPs with members of one address. For one thread at a
 * time.
 */
final class TrackedFragments {
  /** The number of parts into which clients' addresses fall; a power of two. */
  private static final int PARTS = 64;

  private final Programmed programmed;
  private final SharedRules shared;

  private record VipAddress(IPAddress<?> address, int vlan) {}

  private record Openers(int vipNumber) {}

  private record Clients(IpFamily family) {}

  private record MemberAddress(int address, int vlan) {}

  /** What clients send to an address. */
  private record Requests(IPAddress<?> address, int vlan, int zone) implements Part {
    @Override
    public List<OFFlowAdd> rules(OFFactory factory) {
      return FragmentRules.toVip(factory, address, vlan, zone);
    }
  }

  /** First datagrams of the clients of a VIP. */
  private record Opening(BucketTraffic traffic, List<Server> members, List<Server> here)
      implements Part {
    @Override
    public List<OFFlowAdd> rules(OFFactory factory) {
      return FragmentRules.open(factory, traffic, members, here);
    }
  }

  /** What arrives for clients. */
  private record Replies(IpFamily family, int zone) implements Part {
    @Override
    public List<OFFlowAdd> rules(OFFactory factory) {
      return FragmentRules.toClients(factory, family, zone);
    }
  }

  /** What a member sends and gets. */
  private record AtMember(BucketTraffic traffic, Server member) implements Part {
    @Override
    public List<OFFlowAdd> rules(OFFactory factory) {
      return FragmentRules.ofMember(factory, traffic, member);
    }
  }

  TrackedFragments(Programmed programmed) {
    this.programmed = programmed;
    this.shared = new SharedRules(programmed);
  }

  /** Brings the rules up to date. */
  void advance(Collection<ProactiveVip> vips, CatalogSnapshot catalog, long nowNanos) {
    Map<Place, Part> wanted = new HashMap<>();
    Set<Place> ambiguous = new HashSet<>();
    vips.stream()
        .filter(vip -> vip.traffic().isTracked() && !vip.traffic().isTcp())
        .forEach(
            vip -> {
              addClients(vip, catalog, wanted);
              addMembers(vip, wanted, ambiguous);
            });
    // without ports, these packets do not say whose they are
    wanted.keySet().removeAll(ambiguous);
    wanted.keySet().removeIf(place -> !programmed.tracks(place.switchId()));
    shared.set(wanted, nowNanos);
  }

  private static void addClients(
      ProactiveVip vip, CatalogSnapshot catalog, Map<Place, Part> wanted) {
    BucketTraffic traffic = vip.traffic();
    boolean isAlone =
        catalog.vipsAt(traffic.address()).stream()
                .filter(each -> each.protocol() == null || each.protocol() == Protocol.UDP)
                .count()
            == 1;
    for (EdgeBuckets edge : vip.edges()) {
      DatapathId at = edge.switchId();
      List<Server> openers = isAlone ? vip.openers(edge, PARTS) : List.of();
      if (edge.hasRules()) {
        wanted.put(
            new Place(at, new VipAddress(traffic.address(), traffic.vlan())),
            new Requests(traffic.address(), traffic.vlan(), traffic.zone()));
        wanted.put(
            new Place(at, new Clients(traffic.family())),
            new Replies(traffic.family(), traffic.zone()));
      }
      if (!openers.isEmpty()) {
        wanted.put(
            new Place(at, new Openers(traffic.vipNumber())),
            new Opening(
                traffic,
                openers,
                vip.members().stream().filter(each -> each.at().switchId().equals(at)).toList()));
      }
    }
  }

  private static void addMembers(ProactiveVip vip, Map<Place, Part> wanted, Set<Place> ambiguous) {
    for (Server member : vip.members()) {
      Place place =
          new Place(
              member.at().switchId(), new MemberAddress(member.address(), member.at().vlan()));
      if (wanted.put(place, new AtMember(vip.traffic(), member)) != null) {
        ambiguous.add(place);
      }
    }
  }
}
