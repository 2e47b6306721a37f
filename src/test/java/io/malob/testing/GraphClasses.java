package io.malob.testing;

import io.malob.algorithm.graph.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * All small connected graphs up to isomorphism. Inside, a graph is a number with a bit per link.
 */
public final class GraphClasses {
  private GraphClasses() {}

  /** One graph of each class, of switches 1 to n. */
  public static List<Topology> connected(int switches) {
    return graphs(switches).stream()
        .map(
            graph -> {
              List<int[]> links = new ArrayList<>();
              for (int a = 1; a < switches; a++) {
                for (int b = 0; b < a; b++) {
                  if (has(graph, a, b)) {
                    links.add(new int[] {a + 1, b + 1});
                  }
                }
              }
              return Topologies.of(switches, links.toArray(new int[0][]));
            })
        .toList();
  }

  /**
   * Each is a smaller one and a switch that is joined to some of it, since not all switches cut.
   */
  private static Set<Integer> graphs(int switches) {
    if (switches == 1) {
      return Set.of(0);
    }
    Set<Integer> found = new TreeSet<>();
    for (int smaller : graphs(switches - 1)) {
      for (int neighbors = 1; neighbors < 1 << (switches - 1); neighbors++) {
        found.add(smallest(smaller | neighbors << bit(switches - 1, 0), switches));
      }
    }
    return found;
  }

  /** The smallest number of a graph of the class, of those with switches in order of degree. */
  private static int smallest(int graph, int switches) {
    return smallest(graph, switches, new int[switches], 0, 0, 0, Integer.MAX_VALUE);
  }

  private static int smallest(
      int graph, int switches, int[] order, int placed, int used, int number, int best) {
    if (placed == switches) {
      return Math.min(best, number);
    }
    int min = best;
    for (int next = 0; next < switches; next++) {
      if ((used >>> next & 1) == 0 && isLowest(graph, switches, used, next)) {
        int more = number;
        for (int place = 0; place < placed; place++) {
          if (has(graph, Math.max(next, order[place]), Math.min(next, order[place]))) {
            more |= 1 << bit(placed, place);
          }
        }
        order[placed] = next;
        min = smallest(graph, switches, order, placed + 1, used | 1 << next, more, min);
      }
    }
    return min;
  }

  private static boolean isLowest(int graph, int switches, int used, int next) {
    for (int other = 0; other < switches; other++) {
      if ((used >>> other & 1) == 0
          && degree(graph, switches, other) < degree(graph, switches, next)) {
        return false;
      }
    }
    return true;
  }

  private static int degree(int graph, int switches, int of) {
    int degree = 0;
    for (int other = 0; other < switches; other++) {
      if (other != of && has(graph, Math.max(of, other), Math.min(of, other))) {
        degree++;
      }
    }
    return degree;
  }

  private static boolean has(int graph, int larger, int smaller) {
    return (graph >>> bit(larger, smaller) & 1) != 0;
  }

  private static int bit(int larger, int smaller) {
    return larger * (larger - 1) / 2 + smaller;
  }
}
