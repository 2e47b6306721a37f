package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.subflow.Network;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** All Hamiltonian paths of an identity, if they are few. */
final class ListedPaths implements PossibleRoutes {
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
  public Neighborhood around(int[] way) {
    return new NearInList(way);
  }

  /** Half of them anywhere in the list, the others not far in it. */
  private final class NearInList extends Neighborhood {
    private final int[] way;
    private final @Nullable Integer place;
    private int drawn;

    NearInList(int[] way) {
      super(way.length);
      this.way = way;
      place = places.get(way);
    }

    @Override
    boolean draw(SplittableRandom random) {
      clear();
      if (place == null || random.nextBoolean()) {
        drawn = random.nextInt(paths.size());
      } else {
        int steps = 1 + random.nextInt(NEAR);
        drawn = random.nextBoolean() ? place + steps : place - steps;
      }
      if (drawn < 0 || drawn >= paths.size()) {
        return false;
      }
      compare(way, paths.get(drawn), network);
      return leftCount() > 0;
    }

    @Override
    int[] changed() {
      return paths.get(drawn);
    }
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
