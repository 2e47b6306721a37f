package io.malob.simulation.model;

import io.malob.algorithm.Placement;
import io.malob.algorithm.graph.DirectedLink;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The concentration of placements between two measurements: for each interval, the largest share of
 * one server, and that of one link on the path from server to client.
 */
final class Herding {
  /** The min number of placements in an interval that counts. */
  private static final int MIN_PLACEMENTS = 4;

  private final Map<Integer, Integer> onServers = new HashMap<>();
  private final Map<DirectedLink, Integer> onLinks = new HashMap<>();
  private final List<Double> serverShares = new ArrayList<>();
  private final List<Double> linkShares = new ArrayList<>();
  private int placements;

  void placed(Placement placement) {
    placements++;
    onServers.merge(placement.server().number(), 1, Integer::sum);
    placement.replyPath().links().forEach(link -> onLinks.merge(link, 1, Integer::sum));
  }

  /** An interval is over. */
  void measured() {
    if (placements >= MIN_PLACEMENTS) {
      serverShares.add(largest(onServers.values()) / (double) placements);
      linkShares.add(largest(onLinks.values()) / (double) placements);
    }
    placements = 0;
    onServers.clear();
    onLinks.clear();
  }

  private static int largest(Collection<Integer> counts) {
    return counts.stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /** The largest share of one server, from 0 to 1, on average over all intervals that count. */
  OptionalDouble serverShare() {
    return mean(serverShares);
  }

  /** The largest share of one link. */
  OptionalDouble linkShare() {
    return mean(linkShares);
  }

  private static OptionalDouble mean(List<Double> shares) {
    return shares.stream().mapToDouble(Double::doubleValue).average();
  }
}
