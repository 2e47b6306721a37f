package io.malob.controller.network.links;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A snapshot of link discovery's state. Immutable; the {@link LinkInfo}s are never modified.
 *
 * @param switches all switches that this controller is master of
 * @param ports the enabled ports of each switch
 * @param settled the ports that were probed long enough to exclude a link there
 * @param links the directed links
 */
public record LinkSnapshot(
    ImmutableSortedSet<DatapathId> switches,
    ImmutableSetMultimap<DatapathId, OFPort> ports,
    ImmutableSet<NodePortTuple> settled,
    ImmutableSortedMap<Link, LinkInfo> links) {

  /** Nothing known. */
  public static final LinkSnapshot EMPTY =
      new LinkSnapshot(
          ImmutableSortedSet.of(),
          ImmutableSetMultimap.of(),
          ImmutableSet.of(),
          ImmutableSortedMap.of());

  /** The links that start or end at each switch. */
  public Map<DatapathId, Set<Link>> bySwitch() {
    Map<DatapathId, Set<Link>> result = new TreeMap<>();
    for (Link link : links.keySet()) {
      result.computeIfAbsent(link.getSrc(), any -> new TreeSet<>()).add(link);
      result.computeIfAbsent(link.getDst(), any -> new TreeSet<>()).add(link);
    }
    return ImmutableMap.copyOf(result);
  }
}
