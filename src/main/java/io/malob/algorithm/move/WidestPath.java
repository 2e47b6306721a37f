package io.malob.algorithm.move;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The path between two switches whose narrowest link is the widest, of several, the path with the
 * fewest links that the search finds. For few flows, each with its own widths.
 */
final class WidestPath {
  private WidestPath() {}

  /** The path to a switch. */
  private record Reached(DatapathId at, double width, int hops) {}

  private static final Comparator<Reached> BEST =
      Comparator.comparingDouble((Reached reached) -> -reached.width)
          .thenComparingInt(Reached::hops)
          .thenComparing(Reached::at);

  /** The path; empty if no path has a width above 0. */
  static Optional<Path> search(
      Topology topology, DatapathId src, DatapathId dst, ToDoubleFunction<DirectedLink> widths) {
    Map<DatapathId, Reached> best = new HashMap<>();
    Map<DatapathId, DirectedLink> last = new HashMap<>();
    Set<DatapathId> settled = new HashSet<>();
    PriorityQueue<Reached> queue = new PriorityQueue<>(BEST);
    Reached start = new Reached(src, Double.POSITIVE_INFINITY, 0);
    best.put(src, start);
    queue.add(start);
    for (Reached at = queue.poll(); at != null; at = queue.poll()) {
      if (!settled.add(at.at)) {
        continue;
      }
      if (at.at.equals(dst)) {
        return Optional.of(path(src, dst, last));
      }
      for (DirectedLink link : topology.linksFrom(at.at)) {
        double width = Math.min(at.width, widths.applyAsDouble(link));
        Reached next = new Reached(link.dst(), width, at.hops + 1);
        @Nullable Reached known = best.get(link.dst());
        @Nullable DirectedLink before = last.get(at.at);
        if (width > 0
            && (before == null || !topology.isDetour(before, link))
            && !settled.contains(link.dst())
            && (known == null || BEST.compare(next, known) < 0)) {
          best.put(link.dst(), next);
          last.put(link.dst(), link);
          queue.add(next);
        }
      }
    }
    return Optional.empty();
  }

  private static Path path(
      DatapathId src, DatapathId dst, Map<DatapathId, DirectedLink> lastLinks) {
    Deque<DirectedLink> links = new ArrayDeque<>();
    for (@Nullable DirectedLink link = lastLinks.get(dst);
        link != null;
        link = lastLinks.get(link.src())) {
      links.addFirst(link);
    }
    return new Path(src, ImmutableList.copyOf(links));
  }
}
