package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.simulation.fluid.EventQueue;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;

/**
 * What else uses servers and links: other tenants of the servers' machines, and cross traffic. Each
 * server and each link draws another level from time to time, independent of the others.
 *
 * @param meanSeconds mean duration of a level; durations are between half of it and one and a half
 * @param quotas the parts of a server's processors that it may have; equally likely
 * @param crossTraffic the parts of a link that cross traffic may take; equally likely
 */
public record Antagonists(
    double meanSeconds, ImmutableList<Double> quotas, ImmutableList<Double> crossTraffic) {

  /** Nothing else. */
  public static final Antagonists NONE =
      new Antagonists(1, ImmutableList.of(1.0), ImmutableList.of(0.0));

  /** The mean part of a server's processors that it has. */
  public double meanQuota() {
    return mean(quotas);
  }

  /** The mean part of a link that is left. */
  public double meanFree() {
    return 1 - mean(crossTraffic);
  }

  private static double mean(ImmutableList<Double> levels) {
    return levels.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }

  /** Draws the first level of each server and link, and the following ones. */
  void start(
      EventQueue events,
      FluidNetwork network,
      LabNetwork lab,
      ImmutableList<SimulatedServer> servers,
      SplittableRandom streams) {
    if (quotas.size() > 1) {
      servers.forEach(server -> draw(events, quotas, streams.split(), server::setQuota));
    }
    if (crossTraffic.size() > 1) {
      for (DirectedLink link : lab.links().keySet()) {
        draw(events, crossTraffic, streams.split(), part -> network.setCrossTraffic(link, part));
      }
    }
  }

  private void draw(
      EventQueue events,
      ImmutableList<Double> levels,
      SplittableRandom random,
      DoubleConsumer set) {
    set.accept(levels.get(random.nextInt(levels.size())));
    double seconds = meanSeconds * (0.5 + random.nextDouble());
    events.after(seconds, () -> draw(events, levels, random, set));
  }
}
