package io.malob.controller.network.links;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The directed links, with the kind and time of the probes that crossed them. A port has links of
 * one kind only: direct ones take the place of the others. Times are milliseconds. For one thread.
 */
final class LinkTable {
  private final NavigableMap<Link, Seen> links = new TreeMap<>();
  private final SetMultimap<NodePortTuple, Link> byPort =
      MultimapBuilder.hashKeys().linkedHashSetValues().build();

  /** No link was seen last before that time. */
  private long oldest = Long.MAX_VALUE;

  private record Seen(ProbeKind kind, long first, long last) {}

  /** A removed link, and its kind. */
  record Gone(Link link, ProbeKind kind) {}

  /** A probe crossed a link; true if the link is new, or of another kind than it was. */
  boolean seen(Link link, ProbeKind kind, long now) {
    @Nullable Seen before = links.get(link);
    links.put(link, new Seen(kind, before == null ? now : before.first, now));
    oldest = Math.min(oldest, now);
    byPort.put(source(link), link);
    byPort.put(target(link), link);
    return before == null || before.kind != kind;
  }

  boolean contains(Link link) {
    return links.containsKey(link);
  }

  /** Whether links of a kind start or end at a port. */
  boolean has(ProbeKind kind, NodePortTuple port) {
    return byPort.get(port).stream().anyMatch(link -> isOf(kind, link));
  }

  private boolean isOf(ProbeKind kind, Link link) {
    @Nullable Seen seen = links.get(link);
    return seen != null && seen.kind == kind;
  }

  /** Gives the links of a switch a whole lifetime, as if probes had crossed them at that time. */
  void renew(DatapathId switchId, long now) {
    // links are sorted by source: those of other switches take no time
    for (Map.Entry<Link, Seen> each : links.tailMap(firstFrom(switchId)).entrySet()) {
      if (!each.getKey().getSrc().equals(switchId)) {
        break;
      }
      Seen seen = each.getValue();
      each.setValue(new Seen(seen.kind, seen.first, now));
    }
    oldest = Math.min(oldest, now);
  }

  /** No link of the switch is sorted before this one. */
  private static Link firstFrom(DatapathId switchId) {
    return new Link(switchId, OFPort.of(0), DatapathId.NONE, OFPort.of(0), U64.ZERO);
  }

  /**
   * Removes and returns the links that no probe has crossed since that time.
   *
   * @param observed switches that another controller probes: its silence proves nothing
   */
  List<Gone> removeSeenBefore(long time, Set<DatapathId> observed) {
    if (oldest >= time) {
      return List.of(); // the usual case, without a scan of all links
    }
    List<Link> old = new ArrayList<>();
    oldest = Long.MAX_VALUE;
    links.forEach(
        (link, seen) -> {
          boolean isObserved = observed.contains(link.getSrc());
          if (!isObserved && seen.last < time) {
            old.add(link);
          } else if (!isObserved) {
            oldest = Math.min(oldest, seen.last);
          }
        });
    return removeAll(old);
  }

  /** Removes and returns the links that start or end at a port. */
  List<Gone> removeAt(NodePortTuple port) {
    return removeAll(List.copyOf(byPort.get(port)));
  }

  /** Removes and returns the links of a kind that start or end at a port. */
  List<Gone> removeAt(NodePortTuple port, ProbeKind kind) {
    return removeAll(byPort.get(port).stream().filter(link -> isOf(kind, link)).toList());
  }

  /** Removes and returns the links that start or end at a switch. */
  List<Gone> removeAt(DatapathId switchId) {
    return removeAll(
        links.keySet().stream()
            .filter(link -> link.getSrc().equals(switchId) || link.getDst().equals(switchId))
            .toList());
  }

  private List<Gone> removeAll(Collection<Link> unwanted) {
    List<Gone> gone = new ArrayList<>(unwanted.size());
    for (Link link : unwanted) {
      @Nullable Seen seen = links.remove(link);
      byPort.remove(source(link), link);
      byPort.remove(target(link), link);
      if (seen != null) {
        gone.add(new Gone(link, seen.kind));
      }
    }
    return gone;
  }

  /** All current links. */
  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  ImmutableSortedMap<Link, LinkInfo> copy() {
    ImmutableSortedMap.Builder<Link, LinkInfo> result = ImmutableSortedMap.naturalOrder();
    links.forEach(
        (link, seen) -> {
          Date first = new Date(seen.first);
          Date last = new Date(seen.last);
          result.put(
              link,
              seen.kind == ProbeKind.LLDP
                  ? new LinkInfo(first, last, null)
                  : new LinkInfo(first, null, last));
        });
    return result.build();
  }

  static NodePortTuple source(Link link) {
    return new NodePortTuple(link.getSrc(), link.getSrcPort());
  }

  static NodePortTuple target(Link link) {
    return new NodePortTuple(link.getDst(), link.getDstPort());
  }
}
