package io.malob.simulation.model;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.simulation.fluid.EventQueue;
import io.malob.simulation.fluid.Forecast;
import io.malob.simulation.fluid.MaxMinShares;
import io.malob.simulation.fluid.SharedWork;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The links of a network as the fluid model sees them: each transfer has its max-min fair share at
 * every moment, from its first bit to its last; queues, losses and slow starts are not modelled.
 * Cross traffic takes a part of a link, whatever the transfers need.
 */
final class FluidNetwork {
  private final EventQueue events;
  private final Map<DirectedLink, Integer> numbers = new HashMap<>();
  private final double[] carriedBits;
  private final double[] capacities;
  private final double[] crossTrafficBps;
  private final SharedWork<int[]> transfers;
  private MaxMinShares shares;
  private long settledNanos;

  FluidNetwork(EventQueue events, LabNetwork network) {
    this.events = events;
    this.carriedBits = new double[network.links().size()];
    network.links().keySet().forEach(link -> numbers.put(link, numbers.size()));
    this.capacities =
        network.links().values().stream().mapToDouble(LabNetwork.LinkLimits::capacityBps).toArray();
    this.crossTrafficBps = new double[capacities.length];
    this.shares = new MaxMinShares(capacities);
    this.transfers = new SharedWork<>(events, flows -> shares.of(flows), this::carried);
  }

  /** From now on, cross traffic takes this part of a link; from 0 to less than 1. */
  void setCrossTraffic(DirectedLink link, double part) {
    settleCrossTraffic();
    int number = number(link);
    crossTrafficBps[number] = part * capacities[number];
    double[] left = new double[capacities.length];
    Arrays.setAll(left, any -> capacities[any] - crossTrafficBps[any]);
    shares = new MaxMinShares(left);
    transfers.ratesChanged();
  }

  private void settleCrossTraffic() {
    double seconds = (events.nowNanos() - settledNanos) / EventQueue.SECOND;
    settledNanos = events.nowNanos();
    for (int link = 0; link < carriedBits.length; link++) {
      carriedBits[link] += crossTrafficBps[link] * seconds;
    }
  }

  private void carried(int[] links, double bits) {
    for (int link : links) {
      carriedBits[link] += bits;
    }
  }

  /** Starts a transfer over a path; its size is in bits. */
  void transfer(Path path, double bits, Runnable whenDone) {
    if (path.links().isEmpty()) {
      events.after(0, whenDone);
    } else {
      transfers.start(numbers(path), bits, whenDone);
    }
  }

  /** The future of the present transfers. */
  Forecast forecast() {
    Forecast forecast = new Forecast(shares);
    transfers.forEach(forecast::add);
    return forecast;
  }

  /** The links of a path, by number. */
  int[] numbers(Path path) {
    return path.links().stream().mapToInt(this::number).toArray();
  }

  private int number(DirectedLink link) {
    return Objects.requireNonNull(numbers.get(link), () -> link + " is not in the network");
  }

  /** The bits that each link has carried so far, cross traffic included. */
  ImmutableMap<DirectedLink, Double> carriedBits() {
    transfers.settle();
    settleCrossTraffic();
    ImmutableMap.Builder<DirectedLink, Double> carried = ImmutableMap.builder();
    numbers.forEach((link, number) -> carried.put(link, carriedBits[number]));
    return carried.buildOrThrow();
  }
}
