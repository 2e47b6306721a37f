package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** All Hamiltonian paths of an identity, where they are few. */
final class ListedPaths implements Ways {
  private final Network network;
  private final ImmutableList<int[]> paths;

  ListedPaths(Network network, ImmutableList<int[]> paths) {
    this.network = network;
    this.paths = paths;
  }

  @Override
  public int[] any(SplittableRandom random) {
    return paths.get(random.nextInt(paths.size()));
  }

  @Override
  public int[] near(int[] way, SplittableRandom random) {
    int[] other = any(random);
    return Arrays.equals(other, way) ? NONE : other;
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
