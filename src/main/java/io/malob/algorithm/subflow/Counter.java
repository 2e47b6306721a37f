package io.malob.algorithm.subflow;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Counts the sub-flows of one demand on each link of a route: all of them on every link; or, if
 * their egress switches are known, those that have not left the route yet.
 */
public final class Counter {
  private final Network network;
  private final double subflows;

  /** By switch, the sub-flows that end there; empty if whole routes are counted. */
  private final double[] ending;

  private final double[] whole;

  public Counter(Network network, Demand demand, Optional<Traffic> traffic) {
    this.network = network;
    this.subflows = demand.subflows();
    this.ending =
        traffic
            .map(
                known ->
                    IntStream.range(0, network.switchCount())
                        .mapToObj(network::switchOf)
                        .mapToDouble(egress -> subflows * share(known, demand.identity(), egress))
                        .toArray())
            .orElse(new double[0]);
    this.whole = new double[network.edgeCount()];
    Arrays.fill(whole, subflows);
  }

  private static double share(Traffic traffic, FlowIdentity identity, DatapathId egress) {
    double share = traffic.share(identity, egress);
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "the share of " + identity + " that goes to " + egress + " is " + share);
    }
    return share;
  }

  /** The max load of a demand on a link. */
  public double subflows() {
    return subflows;
  }

  /** Whether all sub-flows are counted on every link of a route. */
  public boolean isWhole() {
    return ending.length == 0;
  }

  /** By switch, the sub-flows that end there; empty if whole routes are counted. */
  public double[] ending() {
    return ending;
  }

  /** The sub-flows that leave the ingress switch, if all have routes. */
  public double leaving(int ingress) {
    return isWhole() ? subflows : Arrays.stream(ending).sum() - ending[ingress];
  }

  /** The load of a path or tree. */
  public Footprint count(int[] links) {
    int[] edges = new int[links.length];
    for (int i = 0; i < links.length; i++) {
      edges[i] = network.edge(links[i]);
    }
    return new Footprint(edges, isWhole() ? whole : travelled(links));
  }

  private double[] travelled(int[] links) {
    double[] amounts = new double[links.length];
    double[] beyond = ending.clone();
    for (int i = links.length - 1; i >= 0; i--) {
      amounts[i] = beyond[network.target(links[i])];
      beyond[network.source(links[i])] += amounts[i];
    }
    return amounts;
  }

  /** The load of a route with arbitrary branches. */
  public Footprint count(Route route) {
    double[] loads = new double[network.edgeCount()];
    if (isWhole()) {
      route.links().forEach(link -> loads[edge(link)] = subflows);
    } else {
      for (int egress = 0; egress < ending.length; egress++) {
        DatapathId id = network.switchOf(egress);
        double ends = ending[egress];
        route.branchTo(id).ifPresent(path -> add(path, id, ends, loads));
      }
    }
    int[] edges = IntStream.range(0, loads.length).filter(edge -> loads[edge] > 0).toArray();
    return new Footprint(edges, Arrays.stream(edges).mapToDouble(edge -> loads[edge]).toArray());
  }

  private void add(Path path, DatapathId egress, double amount, double[] loads) {
    if (path.src().equals(egress)) {
      return;
    }
    for (DirectedLink link : path.links()) {
      loads[edge(link)] += amount;
      if (link.dst().equals(egress)) {
        return;
      }
    }
  }

  private int edge(DirectedLink link) {
    return network.edge(network.number(link));
  }
}
