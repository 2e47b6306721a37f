package io.malob.simulation.model;

import io.malob.simulation.fluid.EventQueue;
import io.malob.simulation.fluid.SharedWork;
import java.util.Arrays;

/**
 * A server's processors, shared evenly by its computations, none of which uses more than one
 * processor at a time. Sending takes no processor time. Other tenants of the machine may leave it
 * only a part of its processors, its quota.
 */
final class SimulatedServer {
  private final int processors;
  private final SharedWork<Object> computations;
  private double quota = 1;
  private double busySeconds;

  SimulatedServer(EventQueue events, int processors) {
    this.processors = processors;
    this.computations =
        new SharedWork<>(
            events, jobs -> rates(jobs.size()), (job, seconds) -> busySeconds += seconds);
  }

  private double[] rates(int jobs) {
    double[] rates = new double[jobs];
    Arrays.fill(rates, Math.min(1, quota * processors / jobs));
    return rates;
  }

  /** Starts a computation with the given processor time in seconds. */
  void compute(double cpuSeconds, Runnable whenDone) {
    computations.start(whenDone, cpuSeconds, whenDone);
  }

  /** From now on, it has this part of its processors; above 0, up to 1. */
  void setQuota(double part) {
    quota = part;
    computations.ratesChanged();
  }

  int processors() {
    return processors;
  }

  /** The current slowdown of an additional computation. */
  double slowness() {
    return Math.max(1, (computations.size() + 1.0) / (quota * processors));
  }

  /** How much processor time was used until now, in seconds. */
  double busySeconds() {
    computations.settle();
    return busySeconds;
  }
}
