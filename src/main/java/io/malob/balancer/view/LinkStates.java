package io.malob.balancer.view;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.move.LinkState;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Computes the utilization of links. */
public final class LinkStates {
  private LinkStates() {}

  /** The links whose capacity and utilization are known and not too old. */
  public static Map<DirectedLink, LinkState> of(IMonitorService monitor) {
    Map<DirectedLink, LinkState> states = new HashMap<>();
    for (Map.Entry<DirectedLink, LinkMeasurements> each :
        monitor.links().snapshotOfAll(monitor.nanoTime()).entrySet()) {
      @Nullable Measurement use = each.getValue().useBps();
      if (use != null) {
        monitor
            .capacity(each.getKey())
            .ifPresent(
                capacity ->
                    states.put(
                        each.getKey(), new LinkState(capacity.bitsPerSecond(), use.value())));
      }
    }
    return states;
  }
}
