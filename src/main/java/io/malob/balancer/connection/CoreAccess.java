package io.malob.balancer.connection;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.Sets;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.view.AccessPaths;
import io.malob.balancer.view.AccessPaths.Hop;
import io.malob.module.AttachedHosts;
import io.malob.openflow.AccessRule;
import io.malob.openflow.FoundRule;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleBook;
import io.malob.openflow.RuleSender;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import io.malob.state.network.SelfAddresses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects hosts behind core switches, which do not translate, with the nearest switch that does.
 * Core switches send packets for VIPs and replies of members to that switch, and its packets to the
 * host. Any thread may ask where a host is attached; everything else is for one thread at a time.
 */
public final class CoreAccess {
  private static final Logger LOG = LoggerFactory.getLogger(CoreAccess.class);

  /** How long rules of an earlier run stay whose hosts are unknown. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final IDeviceService devices;
  private final RuleSender ruleSender;
  private final RuleBook<AccessRule> book;
  private final BiConsumer<IDevice, Attachment> moved;
  private final SelfAddresses selfAddresses;
  private final LongSupplier nanoTime;

  private volatile AccessPaths paths = AccessPaths.NONE;

  /** Places of hosts according to rules of an earlier run, by core switch. */
  private final Map<DatapathId, Map<MacAddress, OFPort>> recoveredPlaces = new HashMap<>();

  /** When the rules of an earlier run were read from a switch. */
  private final Map<DatapathId, Long> readAtNanos = new HashMap<>();

  /**
   * No hosts and no rules.
   *
   * @param moved receives hosts behind core switches that are attached elsewhere now
   */
  public CoreAccess(
      IDeviceService devices,
      RuleSender ruleSender,
      BiConsumer<IDevice, Attachment> moved,
      SelfAddresses selfAddresses,
      LongSupplier nanoTime) {
    this.devices = devices;
    this.ruleSender = ruleSender;
    this.book = new RuleBook<>(ruleSender);
    this.moved = moved;
    this.selfAddresses = selfAddresses;
    this.nanoTime = nanoTime;
  }

  /**
   * Where a host is attached for the balancer; empty if it is behind a core switch that reaches no
   * switch that translates.
   */
  public Optional<Attachment> edgeOf(Attachment place) {
    return paths.edgeOf(place);
  }

  /** Where the known host is attached for the balancer. */
  public Optional<Attachment> edgeOf(IDevice device) {
    return AttachedHosts.attachmentOf(device).flatMap(paths::edgeOf);
  }

  /** Whether hosts behind core switches are attached, for the balancer, to that port. */
  public boolean isEdgePort(DatapathId switchId, OFPort port) {
    return paths.isEdgePort(switchId, port);
  }

  /** The core switches with hosts that no VIP can serve. */
  public ImmutableSet<DatapathId> unserved() {
    return paths.unserved();
  }

  /** Takes over changes of topology, hosts and catalog, and updates the rules of core switches. */
  public void update(Topology topology, CatalogSnapshot catalog) {
    AccessPaths before = paths;
    AccessPaths now = AccessPaths.of(topology, ruleSender.compiler()::isCore);
    if (now.equals(AccessPaths.NONE) && before.equals(now)) {
      return;
    }
    paths = now;
    List<IDevice> behind = hostsBehind(before, now);
    if (!now.equals(before)) {
      behind.forEach(device -> edgeOf(device).ifPresent(at -> moved.accept(device, at)));
      warn(before, now);
    }
    ListMultimap<DatapathId, AccessRule> rules = rules(now, catalog, behind);
    addRecovered(rules, topology);
    for (DatapathId switchId : Sets.union(rules.keySet(), book.switches())) {
      book.set(switchId, RuleBook.byKey(rules.get(switchId)));
    }
  }

  /** Hosts that have been silent since the controller's start are still where they were. */
  private void addRecovered(ListMultimap<DatapathId, AccessRule> rules, Topology topology) {
    AttachedHosts known = new AttachedHosts(devices);
    recoveredPlaces.forEach(
        (switchId, places) -> {
          places.keySet().removeIf(mac -> known.find(mac).isPresent());
          places.forEach(
              (mac, port) -> {
                boolean isHostPort =
                    topology.linksFrom(switchId).stream()
                        .noneMatch(link -> link.srcPort().equals(port));
                if (isHostPort) {
                  addHost(rules, new Attachment(switchId, port, mac), paths);
                }
              });
        });
    recoveredPlaces.values().removeIf(Map::isEmpty);
  }

  /**
   * A rule of an earlier run was read from a switch. It stays for a while, and says where its host
   * is.
   */
  public void recover(DatapathId switchId, FoundRule.Access rule) {
    readAtNanos.put(switchId, nanoTime.getAsLong());
    AccessRule.hostOf(rule.entry())
        .ifPresent(
            mac ->
                recoveredPlaces
                    .computeIfAbsent(switchId, any -> new HashMap<>())
                    .put(mac, rule.out()));
  }

  /** Whether rules of an earlier run are kept at a switch. */
  public boolean keepsRecovered(DatapathId switchId) {
    @Nullable Long since = readAtNanos.get(switchId);
    return since != null && nanoTime.getAsLong() - since < PATIENCE_NANOS;
  }

  private static void warn(AccessPaths before, AccessPaths now) {
    for (DatapathId switchId : Sets.difference(now.unserved(), before.unserved())) {
      LOG.warn(
          "switch_not_served switch={} - no switch that translates addresses is reached from it:"
              + " its hosts reach no VIP",
          switchId);
    }
    for (DatapathId switchId : Sets.difference(before.unserved(), now.unserved())) {
      LOG.info("switch_served switch={}", switchId);
    }
  }

  /** The hosts at core switches, now or before. */
  private List<IDevice> hostsBehind(AccessPaths before, AccessPaths now) {
    List<IDevice> behind = new ArrayList<>(devices.getAllDevices());
    behind.removeIf(
        device ->
            AttachedHosts.attachmentOf(device)
                .filter(place -> !(isAttached(place, before) && isAttached(place, now)))
                .isEmpty());
    return behind;
  }

  private static boolean isAttached(Attachment place, AccessPaths paths) {
    return paths.edgeOf(place).equals(Optional.of(place));
  }

  private ListMultimap<DatapathId, AccessRule> rules(
      AccessPaths paths, CatalogSnapshot catalog, List<IDevice> behind) {
    ListMultimap<DatapathId, AccessRule> rules =
        MultimapBuilder.hashKeys().arrayListValues().build();
    for (Hop hop : paths.hops()) {
      for (Vip vip : catalog.vips().values()) {
        rules.put(hop.core(), new AccessRule(new AccessRule.ToVip(vip.address()), hop.up()));
      }
      for (IPAddress<?> own : selfAddresses.all()) {
        rules.put(hop.core(), new AccessRule(new AccessRule.ToVip(own), hop.up()));
      }
    }
    for (IDevice device : behind) {
      AttachedHosts.attachmentOf(device)
          .ifPresent(
              place -> {
                addHost(rules, place, paths);
                OFPort in = place.port();
                for (Hop hop : paths.from(place.switchId())) {
                  for (AccessRule.Packets packets : packetsOf(device, catalog, in)) {
                    rules.put(hop.core(), new AccessRule(packets, hop.up()));
                  }
                  in = hop.down();
                }
              });
    }
    return rules;
  }

  private static void addHost(
      ListMultimap<DatapathId, AccessRule> rules, Attachment place, AccessPaths paths) {
    OFPort out = place.port();
    for (Hop hop : paths.from(place.switchId())) {
      rules.put(hop.core(), new AccessRule(new AccessRule.ToHost(place.mac()), out));
      out = hop.down();
    }
  }

  /**
   * The replies of a member's service port, if it has one, and ICMP errors, which the edge sends to
   * the controller: other traffic goes its own way.
   */
  private static List<AccessRule.Packets> packetsOf(
      IDevice device, CatalogSnapshot catalog, OFPort inPort) {
    List<AccessRule.Packets> packets = new ArrayList<>();
    for (IPAddress<?> address : AttachedHosts.addressesOf(device)) {
      for (Member member : catalog.membersAt(address)) {
        @Nullable Vip vip = catalog.vipOf(member).orElse(null);
        @Nullable Integer port = vip == null ? member.port() : vip.portAt(member);
        if (port == null) {
          packets.add(new AccessRule.Replies(inPort, address, null, null));
        } else {
          packets.add(new AccessRule.Replies(inPort, address, IpProtocol.TCP, port));
          packets.add(new AccessRule.Replies(inPort, address, IpProtocol.UDP, port));
          packets.add(new AccessRule.Replies(inPort, address, IpProtocol.ICMP, null));
          IpFamily family = IpFamily.of(address);
          family.icmpErrors.forEach(
              type -> packets.add(new AccessRule.Errors(inPort, family, type)));
        }
      }
    }
    return packets;
  }

  /** Sends all its rules to a switch that has connected. */
  public void connected(DatapathId switchId) {
    book.setAll(switchId, book.rules(switchId));
  }

  /** Begins to compare the rules that a switch has with those that it is to have. */
  public RuleBook<AccessRule>.Reading read(DatapathId switchId) {
    return book.read(switchId);
  }
}
