package io.malob.simulation.fluid;

import java.util.ArrayList;
import java.util.List;

/**
 * The remaining times of transfers that share links max-min fairly, if no others start. For one
 * thread.
 */
public final class Forecast {
  private final MaxMinShares shares;
  private final List<int[]> flows = new ArrayList<>();
  private final List<Double> bits = new ArrayList<>();

  /** No transfers yet. */
  public Forecast(MaxMinShares shares) {
    this.shares = shares;
  }

  /**
   * Adds a transfer that runs now.
   *
   * @param links that it crosses, by number; without links, it takes no time
   * @param bitsLeft what it still has to carry
   */
  public void add(int[] links, double bitsLeft) {
    if (links.length > 0) {
      flows.add(links);
      bits.add(bitsLeft);
    }
  }

  /** The sum of the remaining times of all transfers and another one, in seconds. */
  public double secondsWith(int[] links, double bitsLeft) {
    Forecast all = new Forecast(shares);
    all.flows.addAll(flows);
    all.bits.addAll(bits);
    all.add(links, bitsLeft);
    double sum = 0;
    while (!all.flows.isEmpty()) {
      sum += all.flows.size() * all.endFirst();
    }
    return sum;
  }

  /** Carries on until the first transfer ends; returns after how many seconds. */
  private double endFirst() {
    double[] rates = shares.of(flows);
    int first = 0;
    for (int flow = 1; flow < rates.length; flow++) {
      if (bits.get(flow) / rates[flow] < bits.get(first) / rates[first]) {
        first = flow;
      }
    }
    double seconds = bits.get(first) / rates[first];
    for (int flow = 0; flow < rates.length; flow++) {
      bits.set(flow, Math.max(0, bits.get(flow) - rates[flow] * seconds));
    }
    flows.remove(first);
    bits.remove(first);
    return seconds;
  }
}
