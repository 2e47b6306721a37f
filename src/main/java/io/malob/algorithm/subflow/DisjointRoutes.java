package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkCosts;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Routes of short paths for all identities of one ingress switch together: to each egress switch
 * the cheapest max set of link-disjoint paths, one of them a shortest path if that does not reduce
 * the set; of these, the short ones are used. Less loaded links are preferred, also among egress
 * switches. Immutable and pure.
 *
 * <p>A path with more than {@value #DETOUR} links beyond the shortest takes more from others than
 * it gives, because each sub-flow takes a full share of each link: the sub-flows of an identity
 * whose first link has no shorter path use the path of another identity.
 *
 * @param topology connected, each link in both directions
 * @param egresses to be reached by each route, but for its own ingress
 */
public record DisjointRoutes(Topology topology, ImmutableSortedSet<DatapathId> egresses) {
  /** The max number of links of a path beyond the shortest. */
  static final int DETOUR = 1;

  /** The extra cost of a link that another identity uses to the same egress switch. */
  private static final long TAKEN = 4 * LinkPrices.LINK;

  /** Makes the number of links count before their loads. */
  private static final long LENGTH_FIRST = 1_000_000;

  /**
   * A route for each identity, in their order.
   *
   * @param identities of one ingress switch and VLAN, each once; not empty
   * @param load the initial load of a link, in sub-flows; not negative
   * @throws IllegalArgumentException if they are not of one switch and VLAN, or if an egress switch
   *     cannot be reached
   */
  public ImmutableList<Route> routes(
      List<FlowIdentity> identities, ToDoubleFunction<UndirectedLink> load) {
    FlowIdentity any = identities.get(0);
    for (FlowIdentity identity : identities) {
      if (!identity.ingress().equals(any.ingress()) || identity.vlan() != any.vlan()) {
        throw new IllegalArgumentException(
            "identities: " + identity + " is of another switch or VLAN than " + any);
      }
    }
    return new Fan(identities, new LinkPrices(topology, load)).routes();
  }

  /** The routes of one ingress switch while they are made. */
  private final class Fan {
    private final List<FlowIdentity> identities;
    private final DatapathId ingress;
    private final LinkPrices prices;

    /** Leads only away from the ingress switch, and there only over the first links. */
    private final Topology outward;

    private final Topology behind;
    private final Map<FlowIdentity, Map<DatapathId, Path>> chosen = new HashMap<>();
    private final Map<FlowIdentity, Integer> along = new HashMap<>();

    Fan(List<FlowIdentity> identities, LinkPrices prices) {
      this.identities = identities;
      this.prices = prices;
      ingress = identities.get(0).ingress();
      Set<DirectedLink> firsts = new HashSet<>();
      identities.forEach(identity -> firsts.add(identity.first()));
      outward =
          Topology.of(
              topology.switches(),
              topology.links().stream()
                  .filter(link -> !link.dst().equals(ingress))
                  .filter(link -> !link.src().equals(ingress) || firsts.contains(link))
                  .toList());
      behind = topology.without(ingress);
      identities.forEach(identity -> chosen.put(identity, new TreeMap<>()));
    }

    ImmutableList<Route> routes() {
      int others = egresses.size() - (egresses.contains(ingress) ? 1 : 0);
      for (DatapathId egress : egresses) {
        if (!egress.equals(ingress)) {
          Map<FlowIdentity, Path> paths = pathsTo(egress);
          paths.forEach(
              (identity, path) -> {
                chosen.getOrDefault(identity, Map.of()).put(egress, path);
                path.links().forEach(link -> prices.add(link, 1.0 / others));
              });
        }
      }
      return identities.stream().map(this::route).collect(ImmutableList.toImmutableList());
    }

    private Route route(FlowIdentity identity) {
      Map<DatapathId, Path> paths = chosen.getOrDefault(identity, Map.of());
      ImmutableList<Path> branches =
          paths.isEmpty()
              ? ImmutableList.of(new Path(ingress, ImmutableList.of(identity.first())))
              : BranchOrder.of(paths);
      int shared = along.getOrDefault(identity, 0);
      String reason = "Short paths, link-disjoint where possible";
      return new Route(
          identity,
          Route.Kind.DISJOINT,
          branches,
          shared == 0
              ? reason + "."
              : String.format(
                  "%s; %d of %d switches are reached over the paths of other links, because this"
                      + " link leads there by a long detour or not at all.",
                  reason, shared, paths.size()));
    }

    private Map<FlowIdentity, Path> pathsTo(DatapathId egress) {
      return PathTree.cheapest(
              outward, ingress, LinkCosts.of(outward, link -> LENGTH_FIRST + prices.of(link)))
          .pathTo(egress)
          .map(shortest -> pathsTo(egress, shortest))
          .orElseGet(() -> aroundTo(egress));
    }

    private Map<FlowIdentity, Path> pathsTo(DatapathId egress, Path shortest) {
      int max = shortest.hops() + DETOUR;
      Map<DirectedLink, Path> own = new HashMap<>();
      for (Path path : disjointTo(egress, shortest)) {
        if (path.hops() <= max) {
          own.put(path.links().get(0), path);
        }
      }
      own.putIfAbsent(shortest.links().get(0), shortest);
      return complete(egress, own, max);
    }

    /** The max number of link-disjoint paths, with a shortest one if that does not reduce it. */
    private List<Path> disjointTo(DatapathId egress, Path shortest) {
      List<Path> paths = UnitFlow.paths(outward, ingress, egress, prices::of);
      if (paths.stream().anyMatch(path -> path.hops() == shortest.hops())) {
        return paths;
      }
      Set<UndirectedLink> gone = new HashSet<>();
      shortest.links().forEach(link -> gone.add(UndirectedLink.of(link)));
      Topology rest =
          Topology.of(
              outward.switches(),
              outward.links().stream()
                  .filter(link -> !gone.contains(UndirectedLink.of(link)))
                  .toList());
      ImmutableList<Path> with =
          ImmutableList.<Path>builder()
              .add(shortest)
              .addAll(UnitFlow.paths(rest, ingress, egress, prices::of))
              .build();
      return with.size() < paths.size() ? paths : with;
    }

    /** Adds paths for identities whose first link has none of its own. */
    private Map<FlowIdentity, Path> complete(
        DatapathId egress, Map<DirectedLink, Path> own, int max) {
      Set<UndirectedLink> taken = new HashSet<>();
      own.values()
          .forEach(path -> path.links().forEach(link -> taken.add(UndirectedLink.of(link))));
      List<Path> shared = new ArrayList<>(own.values());
      shared.sort(Comparator.comparingInt(Path::hops).thenComparing(this::price));
      Map<FlowIdentity, Path> paths = new TreeMap<>();
      int sharers = 0;
      for (FlowIdentity identity : identities) {
        Optional<Path> path =
            Optional.ofNullable(own.get(identity.first()))
                .or(() -> through(identity.first(), egress, taken))
                .filter(way -> way.hops() <= max);
        if (path.isEmpty()) {
          along.merge(identity, 1, Integer::sum);
        }
        paths.put(identity, path.orElse(shared.get(sharers % shared.size())));
        sharers += path.isEmpty() ? 1 : 0;
      }
      return paths;
    }

    /** The cheapest path over a first link, if there is one; links that others use cost more. */
    private Optional<Path> through(
        DirectedLink first, DatapathId egress, Set<UndirectedLink> taken) {
      return PathTree.cheapest(
              behind,
              first.dst(),
              LinkCosts.of(
                  behind,
                  link -> prices.of(link) + (taken.contains(UndirectedLink.of(link)) ? TAKEN : 0)))
          .pathTo(egress)
          .map(path -> path.after(first));
    }

    private long price(Path path) {
      return path.links().stream().mapToLong(prices::of).sum();
    }

    /** If no first link leads there: all over another link. */
    private Map<FlowIdentity, Path> aroundTo(DatapathId egress) {
      Path path =
          PathTree.cheapest(topology, ingress, LinkCosts.of(topology, prices::of))
              .pathTo(egress)
              .orElseThrow(() -> new IllegalArgumentException("no path leads to " + egress));
      Map<FlowIdentity, Path> paths = new TreeMap<>();
      for (FlowIdentity identity : identities) {
        paths.put(identity, path);
        along.merge(identity, 1, Integer::sum);
      }
      return paths;
    }
  }
}
