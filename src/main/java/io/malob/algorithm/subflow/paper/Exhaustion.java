package io.malob.algorithm.subflow.paper;

import com.google.common.primitives.ImmutableIntArray;
import io.malob.algorithm.subflow.Score;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Examines all plans, if they are few: demand by demand, all possible loads of links, each once. It
 * skips partial plans that cannot become better than the best known plan. Whole routes only, hence
 * whole numbers.
 */
final class Exhaustion {
  /** The max number of routes of one further demand that are tried. */
  private static final int MAX_TRIES = 500_000;

  private final Assignment assignment;
  private final Score best;

  /** Whether a better plan must have the same maximum. */
  private final boolean isLeastMaximum;

  private final List<Integer> order;
  private int looked;
  private int tries;

  /** A plan for the first demands: the loads, and the routes that cause them. */
  private record Partial(ImmutableIntArray loads, @Nullable Partial before, int choice, int way) {}

  /**
   * A search among all plans.
   *
   * @param assignment the best plan known
   */
  Exhaustion(Assignment assignment, Bounds bounds) {
    this.assignment = assignment;
    this.best = assignment.loads().score();
    this.isLeastMaximum = Score.compare(best.maximum(), bounds.maximum()) <= 0;
    this.order =
        IntStream.range(0, assignment.size())
            .boxed()
            .sorted(Comparator.comparing(index -> ways(index).size()))
            .toList();
  }

  private List<int[]> ways(int index) {
    return assignment.choice(index).ways().all();
  }

  /** How many different loads were examined. */
  int looked() {
    return looked;
  }

  /** Leaves the best plan of all; false if there are too many plans. */
  boolean run() {
    for (int index : order) {
      if (ways(index).isEmpty() || !assignment.choice(index).counter().isWhole()) {
        return false;
      }
    }
    int[] none = new int[assignment.loads().edgeCount()];
    List<Partial> partials = List.of(new Partial(ImmutableIntArray.copyOf(none), null, -1, -1));
    int[] later = max(order);
    for (int index : order) {
      subtract(later, max(List.of(index)));
      partials = next(partials, index, later);
      if (tries >= MAX_TRIES) {
        return false;
      }
    }
    take(partials);
    return true;
  }

  private List<Partial> next(List<Partial> partials, int index, int[] later) {
    List<int[]> ways = ways(index);
    List<int[]> edges =
        ways.stream().map(way -> assignment.choice(index).counter().count(way).edges()).toList();
    int subflows = assignment.choice(index).demand().subflows();
    Map<ImmutableIntArray, Partial> next = new LinkedHashMap<>();
    for (Partial partial : partials) {
      for (int way = 0; way < ways.size() && tries++ < MAX_TRIES; way++) {
        int[] loads = partial.loads().toArray();
        for (int edge : edges.get(way)) {
          loads[edge] += subflows;
        }
        if (mayBecomeBest(loads, later)) {
          ImmutableIntArray key = ImmutableIntArray.copyOf(loads);
          if (next.putIfAbsent(key, new Partial(key, partial, index, way)) == null) {
            looked++;
          }
        }
      }
    }
    return new ArrayList<>(next.values());
  }

  private boolean mayBecomeBest(int[] loads, int[] later) {
    for (int edge = 0; edge < loads.length; edge++) {
      double now = assignment.loads().value(edge, loads[edge]);
      double then = assignment.loads().value(edge, loads[edge] + later[edge]);
      if (Score.compare(now, best.maximum()) > 0
          || (isLeastMaximum && Score.compare(then, best.minimum()) < 0)) {
        return false;
      }
    }
    return true;
  }

  /** By edge, the max load that these demands can add. */
  private int[] max(List<Integer> indices) {
    int[] max = new int[assignment.loads().edgeCount()];
    for (int index : indices) {
      IntStream.range(0, max.length)
          .filter(edge -> ways(index).stream().anyMatch(way -> uses(index, way, edge)))
          .forEach(edge -> max[edge] += assignment.choice(index).demand().subflows());
    }
    return max;
  }

  private boolean uses(int index, int[] way, int edge) {
    return assignment.choice(index).counter().count(way).on(edge) > 0;
  }

  private static void subtract(int[] from, int[] values) {
    for (int i = 0; i < from.length; i++) {
      from[i] -= values[i];
    }
  }

  private void take(List<Partial> complete) {
    Score min = best;
    @Nullable Partial chosen = null;
    for (Partial partial : complete) {
      Score score =
          assignment
              .loads()
              .score(partial.loads().asList().stream().mapToDouble(load -> load).toArray());
      if (score.isBetterThan(min)) {
        min = score;
        chosen = partial;
      }
    }
    for (Partial at = chosen; at != null && at.choice() >= 0; at = at.before()) {
      assignment.set(at.choice(), ways(at.choice()).get(at.way()));
    }
  }
}
