package io.malob.cluster.election;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Map;
import java.util.Set;

/**
 * This controller's part of each limit of the cluster. A limit is divided among the controllers
 * that are connected to a switch, so that they are or may become its master: evenly, and the first
 * ones by name get the rest (the method of the largest remainder, in a fixed order).
 *
 * <p>The parts of all controllers never exceed a limit, although they learn of changes at different
 * times: a controller acknowledges each new set of masters in its key, and from then on it takes no
 * more than its part by that set. It takes more than before only when all live controllers have
 * acknowledged the same set. Until then, it has the least of its parts by all sets since.
 *
 * <p>On one serial executor; {@link #of} may be called by any thread.
 */
final class LimitShares {
  /** The max number of sets of masters that wait for agreement; beyond, this one has no part. */
  private static final int MAX_SETS = 16;

  private final String name;
  private ImmutableSortedSet<String> acknowledged = ImmutableSortedSet.of();

  /** The parts by all sets since the last agreement. */
  private volatile ImmutableSet<Part> parts = ImmutableSet.of(Part.NONE);

  /**
   * A part by one set of masters.
   *
   * @param index the controller's position in the set; negative if it is not in it
   * @param masters the size of the set
   */
  private record Part(int index, int masters) {
    static final Part NONE = new Part(-1, 0);

    static Part by(ImmutableSortedSet<String> masters, String name) {
      int index = masters.asList().indexOf(name);
      return index < 0 ? NONE : new Part(index, masters.size());
    }

    int of(int limit) {
      return index < 0 ? 0 : limit / masters + (index < limit % masters ? 1 : 0);
    }
  }

  /** No part before the first agreement. */
  LimitShares(String name) {
    this.name = name;
  }

  /** The set of masters to publish. */
  ImmutableSortedSet<String> acknowledged() {
    return acknowledged;
  }

  /** The controllers have changed, or one of them has acknowledged another set. */
  void masters(Set<String> masters) {
    ImmutableSortedSet<String> now = ImmutableSortedSet.copyOf(masters);
    if (now.equals(acknowledged)) {
      return;
    }
    acknowledged = now;
    parts =
        parts.size() >= MAX_SETS
            ? ImmutableSet.of(Part.NONE)
            : ImmutableSet.<Part>builder().addAll(parts).add(Part.by(now, name)).build();
  }

  /**
   * Takes what the live controllers have acknowledged, as etcd has it.
   *
   * @param byController includes this one
   */
  void acknowledgements(Map<String, ? extends Set<String>> byController) {
    if (byController.containsKey(name)
        && byController.values().stream().allMatch(acknowledged::equals)) {
      parts = ImmutableSet.of(Part.by(acknowledged, name));
    }
  }

  /** This controller's lease has expired: the others may have divided its parts. */
  void expired() {
    acknowledged = ImmutableSortedSet.of();
    parts = ImmutableSet.of(Part.NONE);
  }

  /** This controller's part of a limit; 0 before the first agreement. */
  int of(int limit) {
    int least = limit;
    for (Part part : parts) {
      least = Math.min(least, part.of(limit));
    }
    return least;
  }
}
