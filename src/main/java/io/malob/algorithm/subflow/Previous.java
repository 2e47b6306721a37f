package io.malob.algorithm.subflow;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The routes that are in use, and whether they can stay. */
final class Previous {
  private final Network network;
  private final boolean[] egress;
  private final Map<FlowIdentity, Route> routes = new HashMap<>();

  /**
   * The routes in use.
   *
   * @param egress by number, the switches that every route has to reach
   */
  Previous(Network network, boolean[] egress, List<Route> routes) {
    this.network = network;
    this.egress = egress.clone();
    routes.forEach(route -> this.routes.put(route.identity(), route));
  }

  /**
   * The way of a demand, or {@link Ways#NONE} if it has none, has lost a link or an egress switch,
   * or may have one of a better kind.
   */
  int[] way(Choice choice) {
    @Nullable Route route = routes.get(choice.identity());
    if (route == null || route.kind() != choice.kind()) {
      return Ways.NONE;
    }
    int[] way = numbers(route);
    if (!isTree(way, network.number(choice.identity().ingress()))) {
      return Ways.NONE;
    }
    return choice.kind() == Route.Kind.HAMILTONIAN
        ? isPath(way, choice) ? way : Ways.NONE
        : choice.ways() instanceof Trees trees && trees.allow(way) ? way : Ways.NONE;
  }

  /** The links in the order of the branches; {@link Ways#NONE} if one of them has gone. */
  private int[] numbers(Route route) {
    Set<DirectedLink> links = new LinkedHashSet<>();
    for (Path branch : route.branches()) {
      links.addAll(branch.links());
    }
    int[] numbers = links.stream().mapToInt(network::number).toArray();
    return Arrays.stream(numbers).allMatch(number -> number >= 0) ? numbers : Ways.NONE;
  }

  /** Whether each switch is reached once, after the one that it is reached from. */
  private boolean isTree(int[] way, int ingress) {
    boolean[] reached = new boolean[network.switchCount()];
    reached[ingress] = true;
    for (int link : way) {
      if (!reached[network.source(link)] || reached[network.target(link)]) {
        return false;
      }
      reached[network.target(link)] = true;
    }
    for (int number = 0; number < reached.length; number++) {
      if (egress[number] && !reached[number]) {
        return false;
      }
    }
    return way.length > 0;
  }

  private boolean isPath(int[] way, Choice choice) {
    for (int i = 1; i < way.length; i++) {
      if (network.source(way[i]) != network.target(way[i - 1])) {
        return false;
      }
    }
    return way.length == network.switchCount() - 1
        && way[0] == network.number(choice.identity().first());
  }
}
