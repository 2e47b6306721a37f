package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.HamiltonianSearch;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.subflow.Counter;
import io.malob.algorithm.subflow.Demand;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Route;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds the possible routes of an identity: Hamiltonian paths, or trees if there are none. VLANs
 * with the same first link share them.
 */
final class ChoiceFinder {
  /** The max number of listed paths, of one first link and of all of them. */
  private static final int LISTED = 4000;

  private static final int LISTED_OF_ALL = 5_000;

  /** The max number of steps to list the paths of all first links. */
  private static final long LISTING_STEPS = 2_000_000;

  /** The max number of failed listings. */
  private static final int MAX_FAILURES = 8;

  /** The max number of steps to find one path. */
  private static final long FINDING_STEPS = 20_000_000;

  private final PlanRequest request;
  private final Network network;
  private final boolean[] egress;
  private final HamiltonianSearch listing;
  private final int listed;
  private final HamiltonianSearch finding;
  private final TreeRoutes treeRoutes;
  private final Map<DirectedLink, Found> found = new HashMap<>();
  private int failures;

  private record Found(Route.Kind kind, String reason, PossibleRoutes ways) {}

  /**
   * The choices of a request.
   *
   * @param egress by number, the switches that every route has to reach
   */
  ChoiceFinder(PlanRequest request, Network network, boolean[] egress) {
    this.request = request;
    this.network = network;
    this.egress = egress;
    long firsts =
        Math.max(
            1, request.demands().stream().map(each -> each.identity().first()).distinct().count());
    this.listing = new HamiltonianSearch(request.topology(), LISTING_STEPS / firsts);
    this.listed = (int) Math.min(LISTED, LISTED_OF_ALL / firsts);
    this.finding = new HamiltonianSearch(request.topology(), FINDING_STEPS);
    this.treeRoutes = new TreeRoutes(request.topology(), request.egresses());
  }

  /** The choice of a demand. */
  Choice choice(Demand demand) {
    DirectedLink first = demand.identity().first();
    Found ways = found.computeIfAbsent(first, this::find);
    return new Choice(
        demand,
        new Counter(network, demand, request.traffic()),
        ways.kind(),
        ways.reason(),
        ways.ways());
  }

  private Found find(DirectedLink first) {
    if (failures < MAX_FAILURES) {
      HamiltonianSearch.Listing paths = listing.all(first, ImmutableSet.of(), listed);
      failures += paths.complete() ? 0 : 1;
      if (paths.complete() && !paths.paths().isEmpty()) {
        return paths(new ListedPaths(network, numbers(paths.paths())));
      }
      if (!paths.paths().isEmpty()) {
        return searched(first, paths.paths().get(0));
      }
    }
    HamiltonianSearch.Result one = finding.find(first, ImmutableSet.of(), request.seed());
    return one instanceof HamiltonianSearch.Found path
        ? searched(first, path.path())
        : trees(first, one);
  }

  private ImmutableList<int[]> numbers(ImmutableList<Path> paths) {
    return paths.stream().map(network::numbers).collect(ImmutableList.toImmutableList());
  }

  private Found searched(DirectedLink first, Path known) {
    return paths(new SearchedPaths(network, finding, first, network.numbers(known)));
  }

  private static Found paths(PossibleRoutes ways) {
    return new Found(Route.Kind.HAMILTONIAN, "A path that visits each switch once.", ways);
  }

  private Found trees(DirectedLink first, HamiltonianSearch.Result search) {
    boolean[] reached = egress.clone();
    reached[network.number(first.src())] = false;
    if (IntStream.range(0, reached.length).noneMatch(number -> reached[number])) {
      reached[network.number(first.dst())] = true;
    }
    Route tree =
        treeRoutes.route(new FlowIdentity(first, FlowIdentity.ANY_VLAN), link -> 0, search);
    return new Found(
        Route.Kind.TREE,
        tree.reason(),
        new Trees(network, network.number(first), reached, network.numbers(tree)));
  }
}
