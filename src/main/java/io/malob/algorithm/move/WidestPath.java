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

  /** The path to a switch, by its last link and the path before that; null where it begins. */
  private record Reached(
      DatapathId at,
      double width,
      int hops,
      @Nullable DirectedLink last,
      @Nullable Reached before) {
    Path path() {
      Deque<DirectedLink> links = new ArrayDeque<>();
      Reached first = this;
      while (first.before != null && first.last != null) {
        links.addFirst(first.last);
        first = first.before;
      }
      return new Path(first.at, ImmutableList.copyOf(links));
    }
  }

  private static final Comparator<Reached> BEST =
      Comparator.comparingDouble((Reached reached) -> -reached.width)
          .thenComparingInt(Reached::hops)
          .thenComparing(Reached::at);

  /** The path; empty if no path has a width above 0. */
  static Optional<Path> search(
      Topology topology, DatapathId src, DatapathId dst, ToDoubleFunction<DirectedLink> widths) {
    Map<DatapathId, Reached> best = new HashMap<>();
    Set<DatapathId> settled = new HashSet<>();
    PriorityQueue<Reached> queue = new PriorityQueue<>(BEST);
    Reached start = new Reached(src, Double.POSITIVE_INFINITY, 0, null, null);
    best.put(src, start);
    queue.add(start);
    for (Reached at = queue.poll(); at != null; at = queue.poll()) {
      if (at.at.equals(dst)) {
        return Optional.of(at.path());
      }
      if (!settled.add(at.at)) {
        continue;
      }
      for (DirectedLink link : topology.linksFrom(at.at)) {
        double width = Math.min(at.width, widths.applyAsDouble(link));
        Reached next = new Reached(link.dst(), width, at.hops + 1, link, at);
        @Nullable Reached known = best.get(link.dst());
        if (width > 0
            && (at.last == null || !topology.isDetour(at.last, link))
            && !settled.contains(link.dst())
            && (known == null || BEST.compare(next, known) < 0)) {
          best.put(link.dst(), next);
          queue.add(next);
        }
      }
    }
    return Optional.empty();
  }
}
