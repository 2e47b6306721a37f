package io.malob.algorithm.move;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which long flows are rerouted. Pure and deterministic.
 *
 * <p>A flow's fair share of a link is the capacity that other traffic leaves, divided by the link's
 * long flows; its share of a path is that of the narrowest link. A flow is moved to the path with
 * the widest share, counted with the flow itself, if this share exceeds the current one by the
 * gain. Moves are decided one by one, the largest gain first, and each decision counts those before
 * it, so that two flows do not move to the same path. Each move widens a share and leaves no other
 * flow with less than that, so the moves terminate.
 *
 * <p>A path over a link of unknown capacity is never chosen, and a flow on such a path is never
 * moved.
 */
public final class MovePlanner {
  /** The min part of a link for flows, even if other traffic seems to fill it. */
  private static final double MIN_PART = 0.01;

  private final Topology topology;
  private final Map<DirectedLink, LinkState> links;
  private final double gain;

  /** By link: the flows over it. */
  private final Multiset<DirectedLink> counts = HashMultiset.create();

  /** By link: the rate of its flows, also after they are rerouted. */
  private final Map<DirectedLink, Double> measuredBps = new HashMap<>();

  private final List<Flow> flows;
  private final List<Path> paths = new ArrayList<>();

  private MovePlanner(
      Topology topology, Map<DirectedLink, LinkState> links, List<Flow> flows, double gain) {
    this.topology = topology;
    this.links = links;
    this.flows = flows;
    this.gain = gain;
    for (Flow flow : flows) {
      paths.add(flow.path());
      counts.addAll(flow.path().links());
      flow.path().links().forEach(link -> measuredBps.merge(link, flow.bps(), Double::sum));
    }
  }

  /**
   * The moves to make now, in order.
   *
   * @param links the known links; missing ones are unknown
   * @param flows all long flows
   * @param gain how many times wider the new share must be, at least 1
   * @param max the max number of moves
   */
  public static List<Move> plan(
      Topology topology,
      Map<DirectedLink, LinkState> links,
      List<Flow> flows,
      double gain,
      int max) {
    return new MovePlanner(topology, links, flows, gain).plan(max);
  }

  private List<Move> plan(int max) {
    List<Move> moves = new ArrayList<>();
    Set<Integer> moved = new HashSet<>();
    while (moves.size() < max) {
      Optional<Move> best = best(moved);
      if (best.isEmpty()) {
        break;
      }
      Move move = best.get();
      moved.add(move.flow());
      paths.set(move.flow(), move.to()).links().forEach(counts::remove);
      counts.addAll(move.to().links());
      moves.add(move);
    }
    return moves;
  }

  private Optional<Move> best(Set<Integer> moved) {
    @Nullable Move best = null;
    for (int i = 0; i < flows.size(); i++) {
      if (!flows.get(i).isMovable() || moved.contains(i)) {
        continue;
      }
      @Nullable Move move = moveOf(i);
      if (move != null
          && (best == null
              || move.afterBps() * best.beforeBps() > best.afterBps() * move.beforeBps())) {
        best = move;
      }
    }
    return Optional.ofNullable(best);
  }

  private @Nullable Move moveOf(int index) {
    Path now = paths.get(index);
    double before = width(now, now);
    if (before <= 0) {
      return null;
    }
    Set<DirectedLink> own = Set.copyOf(now.links());
    Optional<Path> other =
        WidestPath.search(topology, now.src(), now.dst(), link -> width(link, own));
    if (other.isEmpty()) {
      return null;
    }
    double after = width(other.get(), now);
    return after >= gain * before && after > before
        ? new Move(index, other.get(), before, after)
        : null;
  }

  /** The share of a path for a flow that is on this or another path. */
  private double width(Path path, Path now) {
    Set<DirectedLink> own = Set.copyOf(now.links());
    return path.links().stream()
        .mapToDouble(link -> width(link, own))
        .min()
        .orElse(Double.POSITIVE_INFINITY);
  }

  /** The share of a link for a flow with the given path; 0 if its capacity is unknown. */
  private double width(DirectedLink link, Set<DirectedLink> own) {
    @Nullable LinkState state = links.get(link);
    if (state == null) {
      return 0;
    }
    double others = Math.max(0, state.useBps() - measuredBps.getOrDefault(link, 0.0));
    double left = Math.max(state.capacityBps() - others, MIN_PART * state.capacityBps());
    int flowsOnIt = counts.count(link) + (own.contains(link) ? 0 : 1);
    return left / Math.max(1, flowsOnIt);
  }
}
