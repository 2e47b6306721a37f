package io.malob.algorithm.subflow;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The routes in use, and whether they can stay. */
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
   * The route of a demand, or {@link Ways#NONE} if it has none, has lost a link or an egress
   * switch, or a better kind is possible.
   */
  int[] way(Choice choice) {
    @Nullable Route route = routes.get(choice.identity());
    if (route == null || route.kind() != choice.kind()) {
      return Ways.NONE;
    }
    int[] way = route.cutFrom().map(network::numbers).orElseGet(() -> network.numbers(route));
    if (Arrays.stream(way).anyMatch(number -> number < 0)
        || !isTree(way, network.number(choice.identity().ingress()))) {
      return Ways.NONE;
    }
    return choice.kind() == Route.Kind.HAMILTONIAN
        ? isPath(way, choice) ? way : Ways.NONE
        : choice.ways() instanceof Trees trees && trees.allow(way) ? way : Ways.NONE;
  }

  /**
   * The route of a demand by short paths; empty if it has none, or has lost a link or an egress
   * switch.
   */
  Optional<Route> disjoint(FlowIdentity identity) {
    return Optional.ofNullable(routes.get(identity))
        .filter(route -> route.kind() == Route.Kind.DISJOINT)
        .filter(route -> Arrays.stream(network.numbers(route)).allMatch(number -> number >= 0))
        .filter(
            route ->
                IntStream.range(0, egress.length)
                    .filter(number -> egress[number])
                    .allMatch(number -> route.branchTo(network.switchOf(number)).isPresent()));
  }

  /** Whether each switch is reached once, after its predecessor. */
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
