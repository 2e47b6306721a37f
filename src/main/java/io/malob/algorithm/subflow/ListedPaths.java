package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** All Hamiltonian paths of an identity, where they are few. */
final class ListedPaths implements Ways {
  /** How far in the list a near path may be. */
  private static final int NEAR = 8;

  private final Network network;
  private final ImmutableList<int[]> paths;
  private final IdentityHashMap<int[], Integer> places = new IdentityHashMap<>();

  /**
   * These paths, and no others.
   *
   * @param paths in the order of a search: those that begin alike next to one another
   */
  ListedPaths(Network network, ImmutableList<int[]> paths) {
    this.network = network;
    this.paths = paths;
    paths.forEach(path -> places.put(path, places.size()));
  }

  @Override
  public int[] any(SplittableRandom random) {
    return paths.get(random.nextInt(paths.size()));
  }

  @Override
  public int[] near(int[] way, SplittableRandom random) {
    @Nullable Integer place = places.get(way);
    if (place == null || random.nextBoolean()) {
      int[] other = any(random);
      return Arrays.equals(other, way) ? NONE : other;
    }
    int steps = 1 + random.nextInt(NEAR);
    int other = random.nextBoolean() ? place + steps : place - steps;
    return other >= 0 && other < paths.size() ? paths.get(other) : NONE;
  }

  @Override
  public int[] without(int edge, int[] way, SplittableRandom random) {
    List<int[]> others =
        paths.stream()
            .filter(path -> Arrays.stream(path).noneMatch(link -> network.edge(link) == edge))
            .toList();
    return others.isEmpty() ? NONE : others.get(random.nextInt(others.size()));
  }

  @Override
  public ImmutableList<int[]> all() {
    return paths;
  }
}
