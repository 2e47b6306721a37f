package io.malob.rest.live;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The state at one moment: links and members have the same positions as their numbers in {@link
 * LiveRates}. Immutable.
 *
 * @param topology switches and links
 * @param links the links, in order
 * @param catalog load balancers, VIPs, pools, members, services and monitors; its members are shown
 *     up to a limit
 * @param hosts the hosts attached to switches
 */
record LiveState(
    Topology topology,
    ImmutableSet<DirectedLink> links,
    CatalogSnapshot catalog,
    ImmutableList<SeenHost> hosts) {
  /** The max number of shown members; REST shows all. */
  static final int MAX_MEMBERS = 5_000;

  /**
   * Whether this equals the last serialized state: all parts are immutable, and new only if
   * changed.
   */
  boolean showsSameAs(LiveState other) {
    return topology.equals(other.topology)
        && links.asList().equals(other.links.asList())
        && catalog == other.catalog
        && hosts.equals(other.hosts);
  }

  /** As a JSON object. */
  Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("switches", texts(topology.switches()));
    List<Object> ends = new ArrayList<>();
    for (DirectedLink link : links) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("src", end(link.src(), link.srcPort()));
      line.put("dst", end(link.dst(), link.dstPort()));
      ends.add(line);
    }
    shown.put("links", ends);
    shown.put("hosts", hosts.stream().map(SeenHost::shown).collect(Collectors.toList()));
    shown.put("load_balancers", items(catalog.loadBalancers().values(), Integer.MAX_VALUE));
    shown.put("vips", items(catalog.vips().values(), Integer.MAX_VALUE));
    shown.put("pools", items(catalog.pools().values(), Integer.MAX_VALUE));
    shown.put("members", items(catalog.members().values(), MAX_MEMBERS));
    shown.put("members_left_out", Math.max(0, catalog.members().size() - MAX_MEMBERS));
    shown.put("services", items(catalog.services().values(), Integer.MAX_VALUE));
    shown.put("health_monitors", items(catalog.monitors().values(), Integer.MAX_VALUE));
    return shown;
  }

  private static List<String> texts(Collection<DatapathId> switches) {
    List<String> texts = new ArrayList<>();
    switches.forEach(id -> texts.add(id.toString()));
    return texts;
  }

  private static Map<String, Object> end(DatapathId switchId, OFPort port) {
    Map<String, Object> end = new LinkedHashMap<>();
    end.put("switch", switchId.toString());
    end.put("port", port.getPortNumber());
    return end;
  }

  private static List<Object> items(Collection<? extends CatalogItem> items, int max) {
    List<Object> shown = new ArrayList<>();
    items.stream().limit(max).forEach(item -> shown.add(item.fields()));
    return shown;
  }
}
