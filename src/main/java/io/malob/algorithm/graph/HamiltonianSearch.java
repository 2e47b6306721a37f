package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Finds paths over all switches of a network, each once, that begin with a given link. The link
 * that is asked for is taken even if it is forbidden. Links are used in both directions, so that
 * one without its opposite counts as none. A search with a budget never claims that there is no
 * path because it has not found one. Immutable, pure and thread-safe.
 */
public final class HamiltonianSearch {
  /** Enough for networks of a thousand switches; it takes some seconds to spend it. */
  public static final long DEFAULT_BUDGET = 400_000_000L;

  /** How many paths are listed to draw one of them. */
  private static final int DRAWN_FROM = 1000;

  /** How much of a budget is spent on listing them. */
  private static final int LISTING_PART = 100;

  private final Topology topology;
  private final long budget;

  /** What came of a search. */
  public sealed interface Result {}

  /**
   * There is one.
   *
   * @param path over all switches, each once
   */
  public record Found(Path path) implements Result {}

  /**
   * There is none.
   *
   * @param reason why, as a part of a sentence
   */
  public record Absent(String reason) implements Result {}

  /**
   * The budget was spent before either was known.
   *
   * @param steps how many that were
   */
  public record GaveUp(long steps) implements Result {}

  /**
   * Several paths.
   *
   * @param paths no two the same
   * @param complete whether there are no others
   */
  public record Listing(ImmutableList<Path> paths, boolean complete) {}

  /** Searches in a network with the default budget. */
  public HamiltonianSearch(Topology topology) {
    this(topology, DEFAULT_BUDGET);
  }

  /**
   * Searches in a network.
   *
   * @param budget of one search, in looks at a neighbour of a switch
   */
  public HamiltonianSearch(Topology topology, long budget) {
    this.topology = topology;
    this.budget = budget;
  }

  /**
   * One path.
   *
   * @param first its first link
   * @param forbidden links that it must not use later
   * @param seed the same gives the same path
   */
  public Result find(DirectedLink first, Set<UndirectedLink> forbidden, long seed) {
    SwitchGraph graph = SwitchGraph.behind(topology, first, forbidden);
    return find(graph, new SplittableRandom(seed));
  }

  /**
   * A random path: where there are few, each is as likely as the others (algorithm 1 of "SDN-Based
   * Load Balancing for Multi-Path TCP"); where there are many, any may come, though not all are as
   * likely.
   */
  public Result random(DirectedLink first, Set<UndirectedLink> forbidden, SplittableRandom random) {
    SwitchGraph graph = SwitchGraph.behind(topology, first, forbidden);
    Listing few = list(graph, DRAWN_FROM, budget / LISTING_PART);
    if (few.complete() && !few.paths().isEmpty()) {
      return new Found(few.paths().get(random.nextInt(few.paths().size())));
    }
    return find(graph, random);
  }

  /**
   * Paths in a fixed order, up to so many.
   *
   * @param first the first link of each
   * @param forbidden links that they must not use later
   */
  public Listing all(DirectedLink first, Set<UndirectedLink> forbidden, int limit) {
    return list(SwitchGraph.behind(topology, first, forbidden), limit, budget);
  }

  private Result find(SwitchGraph graph, SplittableRandom random) {
    StepBudget steps = new StepBudget(budget);
    PathExtension extension = new PathExtension(graph, steps, random);
    if (extension.advance()) {
      return new Found(graph.path(extension.order(), random));
    }
    return steps.isSpent() ? new GaveUp(budget) : new Absent("all ways end before");
  }

  private static Listing list(SwitchGraph graph, int limit, long budget) {
    StepBudget steps = new StepBudget(budget);
    PathExtension extension = new PathExtension(graph, steps, new SplittableRandom(1));
    ImmutableList.Builder<Path> paths = ImmutableList.builder();
    int found = 0;
    while (extension.advance()) {
      ImmutableList<Path> over = graph.paths(extension.order(), limit - found + 1);
      if (found + over.size() > limit) {
        paths.addAll(over.subList(0, limit - found));
        return new Listing(paths.build(), false);
      }
      paths.addAll(over);
      found += over.size();
    }
    return new Listing(paths.build(), !steps.isSpent());
  }
}
