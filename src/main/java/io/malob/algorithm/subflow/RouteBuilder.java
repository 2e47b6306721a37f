package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes routes of ways. */
final class RouteBuilder {
  private final Network network;

  RouteBuilder(Network network) {
    this.network = network;
  }

  /** The route with its branches, those to smaller switches first. */
  Route route(Choice choice, int[] way) {
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
        branches.add(branch(choice.identity(), into, leaf));
      }
    }
    return new Route(choice.identity(), choice.kind(), branches.build(), choice.reason());
  }

  private Path branch(FlowIdentity identity, int[] into, int leaf) {
    List<DirectedLink> upwards = new ArrayList<>();
    for (int at = leaf; into[at] >= 0; at = network.source(into[at])) {
      upwards.add(network.link(into[at]));
    }
    return new Path(identity.ingress(), ImmutableList.copyOf(upwards).reverse());
  }
}
