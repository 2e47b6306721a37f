package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.subflow.Counter;
import io.malob.algorithm.subflow.Demand;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One demand, and its possible routes.
 *
 * @param reason why they are of their kind, in a sentence
 */
record Choice(Demand demand, Counter counter, Route.Kind kind, String reason, PossibleRoutes ways) {

  FlowIdentity identity() {
    return demand.identity();
  }

  /** The route over these links, with its branches, those to smaller switches first. */
  Route route(Network network, int[] way) {
    int[] into = new int[network.switchCount()];
    Arrays.fill(into, -1);
    boolean[] inner = new boolean[network.switchCount()];
    for (int link : way) {
      into[network.target(link)] = link;
      inner[network.source(link)] = true;
    }
    ImmutableList.Builder<Path> branches = ImmutableList.builder();
    for (int leaf = 0; leaf < into.length; leaf++) {
      if (into[leaf] >= 0 && !inner[leaf]) {
        branches.add(branch(network, into, leaf));
      }
    }
    return new Route(identity(), kind, branches.build(), reason);
  }

  private Path branch(Network network, int[] into, int leaf) {
    List<DirectedLink> upwards = new ArrayList<>();
    for (int at = leaf; into[at] >= 0; at = network.source(into[at])) {
      upwards.add(network.link(into[at]));
    }
    return new Path(identity().ingress(), ImmutableList.copyOf(upwards).reverse());
  }
}
