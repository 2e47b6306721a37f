package io.malob.balancer.connection;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.view.AccessPaths;
import io.malob.balancer.view.AccessPaths.Hop;
import io.malob.module.AttachedHosts;
import io.malob.openflow.AccessRule;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.TableLayout;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
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
  private final FlowProgrammer programmer;
  private final BiConsumer<IDevice, Attachment> moved;
  private final LongSupplier nanoTime;

  private volatile AccessPaths paths = AccessPaths.NONE;

  /** Places of hosts according to rules of an earlier run, by core switch. */
  private final Map<DatapathId, Map<MacAddress, OFPort>> earlierPlaces = new HashMap<>();

  /** When the rules of an earlier run were read from a switch. */
  private final Map<DatapathId, Long> readAtNanos = new HashMap<>();

  /** The rules of each core switch, by the packets that they match. */
  private Map<DatapathId, Map<AccessRule.Packets, AccessRule>> wanted = new HashMap<>();

  /**
   * No hosts and no rules.
   *
   * @param moved told of hosts behind core switches that are attached elsewhere now
   */
  public CoreAccess(
      IDeviceService devices,
      FlowProgrammer programmer,
      BiConsumer<IDevice, Attachment> moved,
      LongSupplier nanoTime) {
    this.devices = devices;
    this.programmer = programmer;
    this.moved = moved;
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
    AccessPaths now =
        AccessPaths.of(
            topology,
            switchId -> programmer.compiler().layout(switchId) == TableLayout.LABELS_ONLY);
    if (now.equals(AccessPaths.NONE) && before.equals(now)) {
      return;
    }
    paths = now;
    List<IDevice> behind = hostsBehind(before, now);
    if (!now.equals(before)) {
      behind.forEach(device -> edgeOf(device).ifPresent(at -> moved.accept(device, at)));
      warn(before, now);
    }
    Map<DatapathId, Map<AccessRule.Packets, AccessRule>> rules = rules(now, catalog, behind);
    addEarlier(rules, topology);
    apply(rules);
  }

  /** Hosts that have been silent since the controller's start are still where they were. */
  private void addEarlier(
      Map<DatapathId, Map<AccessRule.Packets, AccessRule>> rules, Topology topology) {
    AttachedHosts known = new AttachedHosts(devices);
    earlierPlaces.forEach(
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
    earlierPlaces.values().removeIf(Map::isEmpty);
  }

  /**
   * A rule of an earlier run was read from a switch. It stays for a while, and tells where its host
   * is.
   */
  public void foundEarlier(DatapathId switchId, AccessRule.Key key, OFPort out) {
    readAtNanos.put(switchId, nanoTime.getAsLong());
    key.host()
        .ifPresent(
            mac -> earlierPlaces.computeIfAbsent(switchId, any -> new HashMap<>()).put(mac, out));
  }

  /** Whether rules of an earlier run are kept at a switch. */
  public boolean keepsEarlier(DatapathId switchId) {
    @Nullable Long since = readAtNanos.get(switchId);
    return since != null && nanoTime.getAsLong() - since < PATIENCE_NANOS;
  }

  private static void warn(AccessPaths before, AccessPaths now) {
    for (DatapathId switchId : now.unserved()) {
      if (!before.unserved().contains(switchId)) {
        LOG.warn(
            "switch_not_served switch={} - no switch that translates addresses is reached from it:"
                + " its hosts reach no VIP",
            switchId);
      }
    }
    for (DatapathId switchId : before.unserved()) {
      if (!now.unserved().contains(switchId)) {
        LOG.info("switch_served switch={}", switchId);
      }
    }
  }

  /** The hosts at core switches, now or before. */
  private List<IDevice> hostsBehind(AccessPaths before, AccessPaths now) {
    List<IDevice> behind = new ArrayList<>();
    for (IDevice device : devices.getAllDevices()) {
      Optional<Attachment> place = AttachedHosts.attachmentOf(device);
      if (place.isPresent() && !(isAttached(place.get(), before) && isAttached(place.get(), now))) {
        behind.add(device);
      }
    }
    return behind;
  }

  private static boolean isAttached(Attachment place, AccessPaths paths) {
    return paths.edgeOf(place).equals(Optional.of(place));
  }

  private static Map<DatapathId, Map<AccessRule.Packets, AccessRule>> rules(
      AccessPaths paths, CatalogSnapshot catalog, List<IDevice> behind) {
    Map<DatapathId, Map<AccessRule.Packets, AccessRule>> rules = new HashMap<>();
    for (Hop hop : paths.hops()) {
      for (Vip vip : catalog.vips().values()) {
        add(rules, hop.core(), new AccessRule(new AccessRule.ToVip(vip.address()), hop.up()));
      }
    }
    for (IDevice device : behind) {
      AttachedHosts.attachmentOf(device)
          .ifPresent(
              place -> {
                addHost(rules, place, paths);
                OFPort in = place.port();
                for (Hop hop : paths.from(place.switchId())) {
                  for (AccessRule.Replies replies : repliesOf(device, catalog, in)) {
                    add(rules, hop.core(), new AccessRule(replies, hop.up()));
                  }
                  in = hop.down();
                }
              });
    }
    return rules;
  }

  private static void addHost(
      Map<DatapathId, Map<AccessRule.Packets, AccessRule>> rules,
      Attachment place,
      AccessPaths paths) {
    OFPort out = place.port();
    for (Hop hop : paths.from(place.switchId())) {
      add(rules, hop.core(), new AccessRule(new AccessRule.ToHost(place.mac()), out));
      out = hop.down();
    }
  }

  private static void add(
      Map<DatapathId, Map<AccessRule.Packets, AccessRule>> rules,
      DatapathId switchId,
      AccessRule rule) {
    rules.computeIfAbsent(switchId, any -> new HashMap<>()).put(rule.which(), rule);
  }

  /** Only the replies of a member's service port, if it has one: other traffic goes its own way. */
  private static List<AccessRule.Replies> repliesOf(
      IDevice device, CatalogSnapshot catalog, OFPort inPort) {
    List<AccessRule.Replies> replies = new ArrayList<>();
    for (IPAddress<?> address : AttachedHosts.addressesOf(device)) {
      for (Member member : catalog.membersAt(address)) {
        @Nullable Vip vip = catalog.vipOf(member).orElse(null);
        @Nullable Integer port = vip == null ? member.port() : vip.portAt(member);
        if (port == null) {
          replies.add(new AccessRule.Replies(inPort, address, null, null));
        } else {
          replies.add(new AccessRule.Replies(inPort, address, IpProtocol.TCP, port));
          replies.add(new AccessRule.Replies(inPort, address, IpProtocol.UDP, port));
          replies.add(new AccessRule.Replies(inPort, address, IpProtocol.ICMP, null));
        }
      }
    }
    return replies;
  }

  private void apply(Map<DatapathId, Map<AccessRule.Packets, AccessRule>> now) {
    Map<DatapathId, Map<AccessRule.Packets, AccessRule>> before = wanted;
    wanted = now;
    Set<DatapathId> switches = new TreeSet<>(before.keySet());
    switches.addAll(now.keySet());
    for (DatapathId switchId : switches) {
      Map<AccessRule.Packets, AccessRule> old = before.getOrDefault(switchId, Map.of());
      Map<AccessRule.Packets, AccessRule> fresh = now.getOrDefault(switchId, Map.of());
      programmer
          .factory(switchId)
          .map(factory -> changes(old, fresh, factory))
          .filter(messages -> !messages.isEmpty())
          .ifPresent(messages -> programmer.send(switchId, messages));
    }
  }

  private static List<OFMessage> changes(
      Map<AccessRule.Packets, AccessRule> before,
      Map<AccessRule.Packets, AccessRule> now,
      OFFactory factory) {
    List<OFMessage> messages = new ArrayList<>();
    now.forEach(
        (packets, rule) -> {
          if (!rule.equals(before.get(packets))) {
            messages.add(rule.add(factory));
          }
        });
    before.forEach(
        (packets, rule) -> {
          if (!now.containsKey(packets)) {
            messages.add(rule.remove(factory));
          }
        });
    return messages;
  }

  /** The rules of a switch that has connected, or has lost some of them. */
  public List<OFMessage> rulesOf(DatapathId switchId, OFFactory factory) {
    return rulesOf(switchId).stream().map(rule -> rule.add(factory)).toList();
  }

  /** The ports of the rules that a switch is to have. */
  public Map<AccessRule.Key, OFPort> ports(DatapathId switchId, OFFactory factory) {
    return rulesOf(switchId).stream()
        .collect(Collectors.toMap(rule -> rule.key(factory), AccessRule::out));
  }

  private Collection<AccessRule> rulesOf(DatapathId switchId) {
    return wanted.getOrDefault(switchId, Map.of()).values();
  }
}
