package io.malob.algorithm.graph;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;

/** What is reached from a start over any number of steps. Pure. */
public final class Reached {
  private Reached() {}

  /**
   * All that is reached from a start, with itself, in the order of a breadth-first search.
   *
   * @param peers what one step reaches
   */
  public static <T> Set<T> from(T start, Function<T, ? extends Collection<T>> peers) {
    Set<T> reached = new LinkedHashSet<>(Set.of(start));
    ArrayDeque<T> queue = new ArrayDeque<>(reached);
    for (T at = queue.poll(); at != null; at = queue.poll()) {
      for (T peer : peers.apply(at)) {
        if (reached.add(peer)) {
          queue.add(peer);
        }
      }
    }
    return reached;
  }
}
