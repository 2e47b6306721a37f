package io.malob.simulation.model;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.simulation.fluid.EventQueue;
import io.malob.simulation.fluid.Forecast;
import io.malob.simulation.fluid.MaxMinShares;
import io.malob.simulation.fluid.SharedWork;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The links of a network as the fluid model sees them: each transfer has its max-min fair share at
 * every moment, from its first bit to its last; queues, losses and slow starts are not modelled.
 */
final class FluidNetwork {
  private final EventQueue events;
  private final Map<DirectedLink, Integer> numbers = new HashMap<>();
  private final double[] carriedBits;
  private final MaxMinShares shares;
  private final SharedWork<int[]> transfers;

  FluidNetwork(EventQueue events, LabNetwork network) {
    this.events = events;
    this.carriedBits = new double[network.links().size()];
    network.links().keySet().forEach(link -> numbers.put(link, numbers.size()));
    this.shares =
        new MaxMinShares(
            network.links().values().stream()
                .mapToDouble(LabNetwork.LinkLimits::capacityBps)
                .toArray());
    this.transfers = new SharedWork<>(events, shares::of, this::carried);
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

  /** The bits that each link has carried so far. */
  ImmutableMap<DirectedLink, Double> carriedBits() {
    transfers.settle();
    ImmutableMap.Builder<DirectedLink, Double> carried = ImmutableMap.builder();
    numbers.forEach((link, number) -> carried.put(link, carriedBits[number]));
    return carried.buildOrThrow();
  }
}
