package io.malob.algorithm.move;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.HashMap;
import java.util.Map;

/** The number of flows over each link, and their measured rate. */
final class FlowCounts {
  private final Map<DirectedLink, Integer> flows = new HashMap<>();

  /** Stays as measured, also after flows are rerouted. */
  private final Map<DirectedLink, Double> measuredBps = new HashMap<>();

  void add(Flow flow) {
    for (DirectedLink link : flow.path().links()) {
      flows.merge(link, 1, Integer::sum);
      measuredBps.merge(link, flow.bps(), Double::sum);
    }
  }

  void move(Path from, Path to) {
    from.links().forEach(link -> flows.merge(link, -1, Integer::sum));
    to.links().forEach(link -> flows.merge(link, 1, Integer::sum));
  }

  int flows(DirectedLink link) {
    return flows.getOrDefault(link, 0);
  }

  double measuredBps(DirectedLink link) {
    return measuredBps.getOrDefault(link, 0.0);
  }
}
