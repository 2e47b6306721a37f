package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.Route;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The ways of the routes in use, and whether they can stay.
 *
 * @param egress by number, the switches that every route has to reach
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
record PreviousRoutes(Network network, boolean[] egress, ImmutableMap<FlowIdentity, Route> routes) {

  /**
   * The route of a demand, or {@link PossibleRoutes#NONE} if it has none, has lost a link or an
   * egress switch, or a better kind is possible.
   */
  int[] way(Choice choice) {
    @Nullable Route route = routes.get(choice.identity());
    if (route == null || route.kind() != choice.kind()) {
      return PossibleRoutes.NONE;
    }
    int[] way = route.cutFrom().map(network::numbers).orElseGet(() -> network.numbers(route));
    if (Arrays.stream(way).anyMatch(number -> number < 0)
        || !isTree(way, network.number(choice.identity().ingress()))) {
      return PossibleRoutes.NONE;
    }
    return choice.kind() == Route.Kind.HAMILTONIAN
        ? isPath(way, choice) ? way : PossibleRoutes.NONE
        : choice.ways() instanceof Trees trees && trees.allow(way) ? way : PossibleRoutes.NONE;
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
    return way.length > 0
        && IntStream.range(0, reached.length)
            .allMatch(number -> reached[number] || !egress[number]);
  }

  private boolean isPath(int[] way, Choice choice) {
    return way.length == network.switchCount() - 1
        && way[0] == network.number(choice.identity().first())
        && IntStream.range(1, way.length)
            .allMatch(i -> network.source(way[i]) == network.target(way[i - 1]));
  }
}
