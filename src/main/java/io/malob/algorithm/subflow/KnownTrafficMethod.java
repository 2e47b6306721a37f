package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkCosts;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Chooses short paths if the traffic matrix is known. The sub-flows of an identity to an egress
 * switch take the path that adds least to the sum of the squared loads of links, by capacity. So
 * each further link of a detour must pay off: sub-flows spread over idle links, and take the
 * shortest path over busy ones. Each direction of a link counts for itself.
 *
 * <p>Then each sub-flow chooses again until none changes. That terminates, because each change
 * lowers the sum. Routes in use stay as they are. One thread only.
 */
final class KnownTrafficMethod {
  /** Later rounds change little. */
  private static final int ROUNDS = 8;

  /** Costs are whole numbers, in units of one sub-flow on the link with the greatest capacity. */
  private static final double UNIT = 1 << 20;

  /** No link costs more: sums have to stay in their range. */
  private static final long MAX = 1L << 50;

  private final PlanRequest request;
  private final Network network;
  private final Traffic traffic;
  private final Loads loads;

  private final double greatestCapacity;

  /** By number of the directed link, the sub-flows on it. */
  private final double[] carried;

  /** The sub-flows of an identity to one egress switch. */
  private record Stream(FlowIdentity identity, DatapathId egress, double subflows) {}

  private final Map<Stream, Path> ways = new HashMap<>();

  KnownTrafficMethod(PlanRequest request, Network network, Traffic traffic, Loads loads) {
    this.request = request;
    this.network = network;
    this.traffic = traffic;
    this.loads = loads;
    this.greatestCapacity =
        request.capacities().values().stream().mapToDouble(each -> each).max().orElse(1);
    this.carried = new double[request.topology().links().size()];
  }

  /**
   * A route for each demand, in their order; updates the loads.
   *
   * @param kept the routes in use that can stay
   */
  ImmutableList<Route> run(Map<FlowIdentity, Route> kept) {
    List<Stream> free = new ArrayList<>();
    for (Demand demand : request.demands()) {
      for (Stream stream : streams(demand)) {
        Optional<Path> way =
            Optional.ofNullable(kept.get(demand.identity()))
                .flatMap(route -> route.branchTo(stream.egress));
        way.ifPresentOrElse(
            branch -> put(stream, branch.beginning(branch.switches().indexOf(stream.egress))),
            () -> free.add(stream));
      }
    }
    free.forEach(stream -> put(stream, cheapest(stream)));
    int rounds = 0;
    while (rounds < ROUNDS && chooseAgain(free)) {
      rounds++;
    }
    ImmutableList.Builder<Route> routes = ImmutableList.builder();
    for (Demand demand : request.demands()) {
      Route route = Optional.ofNullable(kept.get(demand.identity())).orElseGet(() -> route(demand));
      loads.add(new Counter(network, demand, request.traffic()).count(route));
      routes.add(route);
    }
    return routes.build();
  }

  /** To all egress switches, also those without sub-flows. */
  private List<Stream> streams(Demand demand) {
    FlowIdentity identity = demand.identity();
    return request.egresses().stream()
        .filter(egress -> !egress.equals(identity.ingress()))
        .map(
            egress ->
                new Stream(identity, egress, demand.subflows() * traffic.share(identity, egress)))
        .toList();
  }

  /** Whether any changed. */
  private boolean chooseAgain(List<Stream> streams) {
    boolean changed = false;
    for (Stream stream : streams) {
      if (stream.subflows > 0) {
        Path old = take(stream);
        Path best = cheapest(stream);
        boolean better = cost(stream, best) < cost(stream, old);
        put(stream, better ? best : old);
        changed |= better;
      }
    }
    return changed;
  }

  private void put(Stream stream, Path way) {
    ways.put(stream, way);
    way.links().forEach(link -> carried[network.number(link)] += stream.subflows);
  }

  private Path take(Stream stream) {
    Path way = way(stream);
    way.links().forEach(link -> carried[network.number(link)] -= stream.subflows);
    return way;
  }

  private Path way(Stream stream) {
    return Optional.ofNullable(ways.get(stream)).orElseThrow();
  }

  private Path cheapest(Stream stream) {
    return PathTree.cheapest(
            request.topology(),
            stream.identity.ingress(),
            LinkCosts.of(request.topology(), link -> cost(stream, link)))
        .pathTo(stream.egress)
        .orElseThrow(() -> new IllegalArgumentException("no path leads to " + stream.egress));
  }

  private long cost(Stream stream, Path way) {
    return way.links().stream().mapToLong(link -> cost(stream, link)).sum();
  }

  /**
   * The growth of the square of a link's load by this stream, for half a sub-flow: (x + a)² - x² =
   * 2 a (x + a/2). Streams without sub-flows now may have some later.
   */
  private long cost(Stream stream, DirectedLink link) {
    int number = network.number(link);
    double subflows = carried[number] + (stream.subflows == 0 ? 1 : stream.subflows) / 2;
    double value = Math.max(0, loads.value(network.edge(number), subflows));
    return Math.min(MAX, Math.round(UNIT * greatestCapacity * value));
  }

  private Route route(Demand demand) {
    Map<DatapathId, Path> paths = new TreeMap<>();
    for (Stream stream : streams(demand)) {
      paths.put(stream.egress, way(stream));
    }
    return new Route(
        demand.identity(),
        Route.Kind.DISJOINT,
        paths.isEmpty()
            ? ImmutableList.of(
                new Path(demand.identity().ingress(), ImmutableList.of(demand.identity().first())))
            : BranchOrder.of(paths),
        "Short paths, by the load that sending hosts put on links; a detour only where it is less"
            + " loaded.");
  }
}
