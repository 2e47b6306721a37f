package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.HamiltonianSearch;
import io.malob.algorithm.graph.LinkCosts;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.BranchOrder;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.LinkPrices;
import io.malob.algorithm.subflow.Route;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Routes for identities that no Hamiltonian path begins with: a tree of the cheapest paths, where
 * an idle link costs one and the most loaded link two, so that no branch is more than twice as long
 * as necessary. All egress switches that can be reached through the first link without passing the
 * ingress switch again are reached through it, the others over other links of the ingress switch.
 * There is a branch for each leaf; leaves are egress switches. Pure; one thread only.
 */
public final class TreeRoutes {
  private static final int NAMED = 3;

  private final Topology topology;
  private final ImmutableSortedSet<DatapathId> egresses;

  /** By ingress switch: the network without it. */
  private final Map<DatapathId, Topology> withoutIngress = new HashMap<>();

  /**
   * Routes in a network.
   *
   * @param topology connected, each link in both directions
   * @param egresses to be reached by each route, but for its own ingress
   */
  public TreeRoutes(Topology topology, ImmutableSortedSet<DatapathId> egresses) {
    this.topology = topology;
    this.egresses = egresses;
  }

  /**
   * The tree of an identity.
   *
   * @param load the initial load of a link, in any unit; not negative
   * @param search the result of the search for a Hamiltonian path
   * @throws IllegalArgumentException if there is a Hamiltonian path, or if an egress switch cannot
   *     be reached at all
   */
  public Route route(
      FlowIdentity identity,
      ToDoubleFunction<UndirectedLink> load,
      HamiltonianSearch.Result search) {
    LinkPrices prices = new LinkPrices(topology, load);
    DirectedLink first = identity.first();
    Topology behind =
        withoutIngress.computeIfAbsent(identity.ingress(), ingress -> topology.without(ingress));
    PathTree through = PathTree.cheapest(behind, first.dst(), LinkCosts.of(behind, prices::of));
    List<Path> paths = new ArrayList<>();
    List<DatapathId> elsewhere = new ArrayList<>();
    for (DatapathId egress : egresses) {
      if (!egress.equals(identity.ingress())) {
        through
            .pathTo(egress)
            .ifPresentOrElse(path -> paths.add(path.after(first)), () -> elsewhere.add(egress));
      }
    }
    if (!elsewhere.isEmpty()) {
      PathTree around =
          PathTree.cheapest(topology, identity.ingress(), LinkCosts.of(topology, prices::of));
      elsewhere.forEach(egress -> paths.add(reached(around, egress)));
    }
    if (paths.isEmpty()) {
      paths.add(new Path(first.src(), ImmutableList.of(first)));
    }
    return new Route(
        identity, Route.Kind.TREE, BranchOrder.withoutBeginnings(paths), reason(search, elsewhere));
  }

  private static Path reached(PathTree tree, DatapathId egress) {
    return tree.pathTo(egress)
        .orElseThrow(() -> new IllegalArgumentException("no path leads to " + egress));
  }

  private static String reason(HamiltonianSearch.Result search, List<DatapathId> elsewhere) {
    String sentence = whyNoPath(search);
    if (elsewhere.isEmpty()) {
      return sentence + ".";
    }
    String names =
        elsewhere.stream().limit(NAMED).map(DatapathId::toString).collect(Collectors.joining(", "));
    int more = elsewhere.size() - NAMED;
    return String.format(
        "%s; reached over other links of the ingress switch, because this one does not lead there:"
            + " %s%s.",
        sentence, names, more > 0 ? " and " + more + " more" : "");
  }

  private static String whyNoPath(HamiltonianSearch.Result search) {
    if (search instanceof HamiltonianSearch.Absent absent) {
      return "A tree, because no path over all switches begins with this link: " + absent.reason();
    }
    if (search instanceof HamiltonianSearch.GaveUp gaveUp) {
      return "A tree, because no path over all switches was found within "
          + gaveUp.steps()
          + " steps";
    }
    throw new IllegalArgumentException("search: there is a path, a tree is not needed");
  }
}
