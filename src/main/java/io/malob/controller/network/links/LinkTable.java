package io.malob.controller.network.links;

import com.google.common.collect.ImmutableSortedMap;
import java.util.ArrayList;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The directed links and when probes crossed them. Times are milliseconds. For one thread. */
final class LinkTable {
  private final Map<Link, Times> links = new TreeMap<>();

  private record Times(long firstSeen, long lastSeen) {}

  /** A probe crossed a link; true if the link is new. */
  boolean seen(Link link, long now) {
    @Nullable Times before = links.get(link);
    links.put(link, new Times(before == null ? now : before.firstSeen, now));
    return before == null;
  }

  boolean contains(Link link) {
    return links.containsKey(link);
  }

  /** Removes the links that no probe crossed since that time, and gives them back. */
  List<Link> removeSeenBefore(long time) {
    return removeIf((link, times) -> times.lastSeen < time);
  }

  /** Removes the links that start or end at a port, and gives them back. */
  List<Link> removeAt(NodePortTuple port) {
    return removeIf((link, times) -> source(link).equals(port) || target(link).equals(port));
  }

  /** Removes the links that start or end at a switch, and gives them back. */
  List<Link> removeAt(DatapathId switchId) {
    return removeIf(
        (link, times) -> link.getSrc().equals(switchId) || link.getDst().equals(switchId));
  }

  private List<Link> removeIf(BiPredicate<Link, Times> unwanted) {
    List<Link> removed = new ArrayList<>();
    for (Iterator<Map.Entry<Link, Times>> i = links.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<Link, Times> entry = i.next();
      if (unwanted.test(entry.getKey(), entry.getValue())) {
        removed.add(entry.getKey());
        i.remove();
      }
    }
    return removed;
  }

  /** All links as they are now. */
  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  ImmutableSortedMap<Link, LinkInfo> copy() {
    ImmutableSortedMap.Builder<Link, LinkInfo> result = ImmutableSortedMap.naturalOrder();
    links.forEach(
        (link, times) ->
            result.put(
                link, new LinkInfo(new Date(times.firstSeen), new Date(times.lastSeen), null)));
    return result.build();
  }

  static NodePortTuple source(Link link) {
    return new NodePortTuple(link.getSrc(), link.getSrcPort());
  }

  static NodePortTuple target(Link link) {
    return new NodePortTuple(link.getDst(), link.getDstPort());
  }
}
