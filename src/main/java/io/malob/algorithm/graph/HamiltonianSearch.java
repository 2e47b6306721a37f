package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Finds paths over all switches of a network, each once, that begin with a given link. The given
 * first link is used even if it is forbidden. Links need both directions; a link without its
 * opposite is ignored. A search whose budget is spent never claims that there is no path.
 * Immutable, pure and thread-safe.
 *
 * @param budget of one search, in examined neighbours of switches
 */
public record HamiltonianSearch(Topology topology, long budget) {
  /** The default max number of steps of a search, for each pair of switches and overall. */
  private static final long STEPS_PER_PAIR = 1000;

  private static final long MIN_BUDGET = 1_000_000;
  private static final long MAX_BUDGET = 300_000_000;

  /** How many paths are listed to draw one of them. */
  private static final int DRAWN_FROM = 1000;

  /** How many steps are spent on listing them. */
  private static final long LISTING_STEPS = 100_000;

  /** How many steps the first attempt may take, for each pair of switches. */
  private static final long FIRST_ROUND = 5;

  /**
   * The ratio of steps for extension to steps for rotation after the first attempt: a step of
   * extension is faster, and only extension can prove that there is no path.
   */
  private static final long EXTENDING = 4;

  /** The result of a search. */
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
   * The budget was spent without a result.
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

  /** Searches in a network with a budget that fits its size and takes no more than seconds. */
  public HamiltonianSearch(Topology topology) {
    this(topology, usualBudget(topology.switches().size()));
  }

  private static long usualBudget(long switches) {
    return Math.max(MIN_BUDGET, Math.min(MAX_BUDGET, STEPS_PER_PAIR * switches * switches));
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
   * A random path: if there are few, each is equally likely (algorithm 1 of "SDN-Based Load
   * Balancing for Multi-Path TCP", whose list of all is out of reach in larger networks); if there
   * are many, any path is possible, but not all are equally likely. With parallel links, the
   * sequence of switches is drawn first.
   */
  public Result random(DirectedLink first, Set<UndirectedLink> forbidden, SplittableRandom random) {
    SwitchGraph graph = SwitchGraph.behind(topology, first, forbidden);
    StepBudget steps = new StepBudget(LISTING_STEPS);
    PathExtension extension = new PathExtension(graph, steps, random);
    List<int[]> orders = new ArrayList<>();
    while (orders.size() <= DRAWN_FROM && extension.advance()) {
      orders.add(extension.order());
    }
    if (orders.isEmpty() || orders.size() > DRAWN_FROM || steps.isSpent()) {
      return find(graph, random);
    }
    return new Found(graph.path(orders.get(random.nextInt(orders.size())), random));
  }

  /**
   * Paths in a fixed order, up to a limit.
   *
   * @param first the first link of each
   * @param forbidden links that they must not use later
   */
  public Listing all(DirectedLink first, Set<UndirectedLink> forbidden, int limit) {
    SwitchGraph graph = SwitchGraph.behind(topology, first, forbidden);
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

  private Result find(SwitchGraph graph, SplittableRandom random) {
    Optional<String> absence = Absence.of(graph);
    if (absence.isPresent()) {
      return new Absent(absence.get());
    }
    long left = budget;
    for (long round = FIRST_ROUND * graph.size() * graph.size(); left > 0; round += round / 2) {
      StepBudget mending = new StepBudget(Math.min(left, round));
      int @Nullable [] mended = new PathRotation(graph, mending, random).search();
      if (mended != null) {
        return new Found(graph.path(mended, random));
      }
      left -= round;
      long extended = Math.min(left, EXTENDING * round);
      StepBudget extending = new StepBudget(extended);
      PathExtension extension = new PathExtension(graph, extending, random);
      if (extension.advance()) {
        return new Found(graph.path(extension.order(), random));
      }
      if (!extending.isSpent()) {
        return new Absent(Absence.ALL_TRIED);
      }
      left -= extended;
    }
    return new GaveUp(budget);
  }
}
