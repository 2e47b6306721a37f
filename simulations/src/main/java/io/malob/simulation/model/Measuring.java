package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkValue;
import io.malob.simulation.fluid.EventQueue;
import io.malob.simulation.model.LabNetwork.LinkLimits;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Measures links and servers as port statistics and agents do, and reports to the balancer: at the
 * end of each interval, the average over it.
 */
final class Measuring {
  /** The processor time of an agent's probe of a service. */
  private static final double TRIAL_NANOS = 1e6;

  private final EventQueue events;
  private final Setting setting;
  private final FluidNetwork network;
  private final ImmutableList<SimulatedServer> servers;
  private final SimulatedBalancer balancer;
  private Map<DirectedLink, Double> carriedBefore;
  private final double[] busyBefore;

  Measuring(
      EventQueue events,
      Setting setting,
      FluidNetwork network,
      ImmutableList<SimulatedServer> servers,
      SimulatedBalancer balancer) {
    this.events = events;
    this.setting = setting;
    this.network = network;
    this.servers = servers;
    this.balancer = balancer;
    this.carriedBefore = network.carriedBits();
    this.busyBefore = new double[servers.size()];
  }

  /** Reports an idle network at once; then, if measurements take time, periodically. */
  void start(Runnable afterEach) {
    balancer.linksMeasured(links(carriedBefore, 1));
    if (setting.intervalSeconds() > 0) {
      reportServers();
      events.after(setting.intervalSeconds(), () -> measure(afterEach));
    }
  }

  private void measure(Runnable afterEach) {
    Map<DirectedLink, Double> carried = network.carriedBits();
    balancer.linksMeasured(links(carried, setting.intervalSeconds()));
    carriedBefore = carried;
    reportServers();
    afterEach.run();
    events.after(setting.intervalSeconds(), () -> measure(afterEach));
  }

  private Map<DirectedLink, LinkValue> links(Map<DirectedLink, Double> carried, double seconds) {
    ImmutableMap.Builder<DirectedLink, LinkValue> values = ImmutableMap.builder();
    carried.forEach(
        (link, bits) -> {
          LinkLimits limits = setting.network().limits(link);
          double usedBps = (bits - carriedBefore.getOrDefault(link, 0.0)) / seconds;
          values.put(
              link,
              new LinkValue(
                  OptionalLong.of(limits.latencyNanos()),
                  OptionalDouble.of(Math.max(0, limits.capacityBps() - usedBps)),
                  OptionalDouble.of(limits.capacityBps())));
        });
    return values.buildOrThrow();
  }

  private void reportServers() {
    for (int index = 0; index < servers.size(); index++) {
      SimulatedServer server = servers.get(index);
      double busy = server.busySeconds();
      double possible = server.processors() * setting.intervalSeconds();
      double cpuFraction = Math.min(1, (busy - busyBefore[index]) / possible);
      busyBefore[index] = busy;
      balancer.serverReported(index, cpuFraction, TRIAL_NANOS * server.slowness());
    }
  }
}
