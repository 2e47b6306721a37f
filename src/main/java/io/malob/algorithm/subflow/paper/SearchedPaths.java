package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.HamiltonianSearch;
import io.malob.algorithm.subflow.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The Hamiltonian paths of an identity, if they are many: found one by one. One thread only. */
final class SearchedPaths implements PossibleRoutes {
  private static final int MAX_OTHERS = 8;

  private final Network network;
  private final HamiltonianSearch search;
  private final DirectedLink first;
  private final int[] known;
  private final List<int[]> others = new ArrayList<>();

  /**
   * The paths of one identity.
   *
   * @param search finds random ones
   * @param first the first link of each
   * @param known one of them
   */
  SearchedPaths(Network network, HamiltonianSearch search, DirectedLink first, int[] known) {
    this.network = network;
    this.search = search;
    this.first = first;
    this.known = known;
  }

  @Override
  public int[] any(SplittableRandom random) {
    int[] path = links(search.random(first, ImmutableSet.of(), random));
    return path.length == 0 ? known : path;
  }

  @Override
  public int[] start(SplittableRandom random) {
    return known;
  }

  @Override
  public int[] without(int edge, int[] way, SplittableRandom random) {
    return network.edge(network.number(first)) == edge
        ? NONE
        : links(search.random(first, ImmutableSet.of(network.edges().get(edge)), random));
  }

  private int[] links(HamiltonianSearch.Result result) {
    return result instanceof HamiltonianSearch.Found found ? network.numbers(found.path()) : NONE;
  }

  @Override
  public Neighborhood around(int[] way) {
    return new NearPaths(network, way, this::other);
  }

  /** Any path: one of a few that are searched on demand. */
  private int[] other(SplittableRandom random) {
    if (others.size() < MAX_OTHERS) {
      int[] found = links(search.find(first, ImmutableSet.of(), random.nextLong()));
      others.add(found.length == 0 ? known : found);
      return others.get(others.size() - 1);
    }
    return others.get(random.nextInt(MAX_OTHERS));
  }
}
