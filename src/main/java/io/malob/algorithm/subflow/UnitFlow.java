package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The cheapest max set of paths from one switch to another that share no link, in either direction:
 * a min-cost flow, path after path, each of which may cancel links of earlier ones (J. W.
 * Suurballe, Disjoint paths in a network, 1974, for any number). Used by one thread.
 */
final class UnitFlow {
  private final Topology topology;
  private final DatapathId src;
  private final DatapathId dst;
  private final ToLongFunction<DirectedLink> price;

  /** The links of the paths found so far. */
  private final Set<DirectedLink> used = new HashSet<>();

  private UnitFlow(
      Topology topology, DatapathId src, DatapathId dst, ToLongFunction<DirectedLink> price) {
    this.topology = topology;
    this.src = src;
    this.dst = dst;
    this.price = price;
  }

  /**
   * The paths, by their first links.
   *
   * @param topology without links to where the paths begin
   * @param price of a link; positive
   */
  static List<Path> paths(
      Topology topology, DatapathId src, DatapathId dst, ToLongFunction<DirectedLink> price) {
    UnitFlow flow = new UnitFlow(topology, src, dst, price);
    while (flow.augment()) {
      // until there is no further path
    }
    return flow.split();
  }

  /** Adds the cheapest further path; a cancelled link refunds its price. */
  private boolean augment() {
    Map<DatapathId, Long> costs = new HashMap<>();
    Map<DatapathId, DirectedLink> last = new HashMap<>();
    Deque<DatapathId> changed = new ArrayDeque<>();
    costs.put(src, 0L);
    changed.add(src);
    while (!changed.isEmpty()) {
      DatapathId at = changed.remove();
      for (DirectedLink link : topology.linksFrom(at)) {
        if (!used.contains(link)) {
          long cost = costs.getOrDefault(at, 0L) + step(link);
          @Nullable Long known = costs.get(link.dst());
          if (known == null || cost < known) {
            costs.put(link.dst(), cost);
            last.put(link.dst(), link);
            changed.remove(link.dst());
            changed.add(link.dst());
          }
        }
      }
    }
    return take(last);
  }

  private long step(DirectedLink link) {
    return used.contains(link.reversed())
        ? -price.applyAsLong(link.reversed())
        : price.applyAsLong(link);
  }

  private boolean take(Map<DatapathId, DirectedLink> last) {
    @Nullable DirectedLink link = last.get(dst);
    if (link == null) {
      return false;
    }
    while (link != null) {
      if (!used.remove(link.reversed())) {
        used.add(link);
      }
      link = last.get(link.src());
    }
    return true;
  }

  private List<Path> split() {
    Map<DatapathId, TreeSet<DirectedLink>> from = new HashMap<>();
    used.forEach(link -> from.computeIfAbsent(link.src(), any -> new TreeSet<>()).add(link));
    List<Path> paths = new ArrayList<>();
    for (DirectedLink first : from.getOrDefault(src, new TreeSet<>())) {
      ImmutableList.Builder<DirectedLink> way = ImmutableList.builder();
      way.add(first);
      DatapathId at = first.dst();
      while (!at.equals(dst)) {
        @Nullable TreeSet<DirectedLink> onward = from.get(at);
        @Nullable DirectedLink next = onward == null ? null : onward.pollFirst();
        if (next == null) {
          throw new IllegalStateException("a path to " + dst + " ends at " + at);
        }
        way.add(next);
        at = next.dst();
      }
      paths.add(new Path(src, way.build()));
    }
    return paths;
  }
}
