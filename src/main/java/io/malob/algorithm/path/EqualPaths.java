package io.malob.algorithm.path;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Finds paths that are about as good as the one that an algorithm has chosen, so that connections
 * can take them in turn. Pure.
 */
public final class EqualPaths {
  /** The part of the best path's share that a path must have that connections are to take. */
  private static final double ENTERED_PART = 0.5;

  /** The part that is enough where connections are: their own packets make it narrower. */
  private static final double KEPT_PART = 0.1;

  /** How much slower such a path may be. */
  private static final double SLOWER = 1.25;

  private static final long SLOWER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private EqualPaths() {}

  /**
   * The best path, and others that have no more links and are nearly as fast and as wide: first of
   * all those that share the fewest links with it and with one another.
   *
   * @param used the paths that connections take now
   * @param max the max number of paths, the best included
   */
  public static ImmutableList<Path> of(
      NetworkSnapshot network, Path best, Collection<Path> used, int max) {
    List<Path> chosen = new ArrayList<>(List.of(best));
    if (best.hops() == 0) {
      return ImmutableList.copyOf(chosen);
    }
    List<Path> left = new ArrayList<>(network.shortest(best.src(), best.dst()));
    left.removeIf(
        path -> path.equals(best) || !isAsGood(network.values(), path, best, used.contains(path)));
    Set<DirectedLink> links = new HashSet<>(best.links());
    while (chosen.size() < max && !left.isEmpty()) {
      Path next =
          left.stream()
              .min(
                  Comparator.<Path>comparingLong(path -> shared(path, links))
                      .thenComparing(path -> !used.contains(path)))
              .orElseThrow();
      left.remove(next);
      chosen.add(next);
      links.addAll(next.links());
    }
    return ImmutableList.copyOf(chosen);
  }

  private static boolean isAsGood(LinkValues values, Path path, Path best, boolean isUsed) {
    double part = isUsed ? KEPT_PART : ENTERED_PART;
    return path.hops() <= best.hops()
        && values.latencyNanos(path) <= SLOWER * values.latencyNanos(best) + SLOWER_NANOS
        && values.shareBps(path) >= part * values.shareBps(best);
  }

  private static long shared(Path path, Set<DirectedLink> links) {
    return path.links().stream().filter(links::contains).count();
  }
}
