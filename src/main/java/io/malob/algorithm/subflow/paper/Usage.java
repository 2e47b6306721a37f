package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Counter;
import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.Route;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Bounds for the load of each link in any plan, from single demands: traffic to switches behind a
 * single link uses that link; traffic that leaves its ingress switch by one link never uses the
 * switch's other links.
 */
final class Usage {
  private final Network network;
  private final boolean[] egress;
  private final double[] min;
  private final double[] max;
  private double minTotal;
  private double maxTotal;

  /**
   * The use of all demands together.
   *
   * @param egress by number, the switches that every route has to reach
   */
  Usage(Network network, boolean[] egress, List<Choice> choices) {
    this.network = network;
    this.egress = egress;
    min = new double[network.edgeCount()];
    max = new double[network.edgeCount()];
    choices.forEach(this::add);
  }

  /** By edge, the sub-flows that are on it in any case. */
  double[] min() {
    return min;
  }

  /** By edge, the sub-flows that can be on it. */
  double[] max() {
    return max;
  }

  /** The smallest sum of sub-flows over all links. */
  double minTotal() {
    return minTotal;
  }

  /** The largest sum of sub-flows over all links. */
  double maxTotal() {
    return maxTotal;
  }

  private void add(Choice choice) {
    if (choice.ways().all().isEmpty()) {
      addByReach(choice);
    } else {
      addAll(choice);
    }
  }

  /** Exact if all routes are known. */
  private void addAll(Choice choice) {
    double[] fewest = new double[min.length];
    double[] largest = new double[min.length];
    double fewestTotal = Double.POSITIVE_INFINITY;
    double largestTotal = 0;
    Arrays.fill(fewest, Double.POSITIVE_INFINITY);
    double[] amounts = new double[min.length];
    for (int[] way : choice.ways().all()) {
      Arrays.fill(amounts, 0);
      choice.counter().count(way).addTo(amounts);
      double total = 0;
      for (int edge = 0; edge < amounts.length; edge++) {
        fewest[edge] = Math.min(fewest[edge], amounts[edge]);
        largest[edge] = Math.max(largest[edge], amounts[edge]);
        total += amounts[edge];
      }
      fewestTotal = Math.min(fewestTotal, total);
      largestTotal = Math.max(largestTotal, total);
    }
    for (int edge = 0; edge < amounts.length; edge++) {
      min[edge] += fewest[edge];
      max[edge] += largest[edge];
    }
    minTotal += fewestTotal;
    maxTotal += largestTotal;
  }

  /** Otherwise, switches that cannot be reached without a link are reached over it. */
  private void addByReach(Choice choice) {
    int ingress = network.number(choice.demand().identity().ingress());
    boolean[] usable = usable(choice, ingress);
    double[] ending = choice.counter().ending();
    boolean[] wanted = wanted(choice, ingress);
    int[] hops = hops(ingress, usable, -1);
    for (int edge = 0; edge < min.length; edge++) {
      if (usable[edge]) {
        max[edge] += choice.counter().leaving(ingress);
        min[edge] += cutOff(choice.counter(), wanted, hops(ingress, usable, edge));
      }
    }
    double minLinks = 0;
    for (int number = 0; number < wanted.length; number++) {
      if (wanted[number]) {
        minLinks += choice.counter().isWhole() ? 1 : ending[number] * Math.max(0, hops[number]);
      }
    }
    double weight = choice.counter().isWhole() ? choice.counter().subflows() : 1;
    minTotal += weight * minLinks;
    maxTotal += choice.counter().leaving(ingress) * (network.switchCount() - 1);
  }

  /** The switches that all routes of a demand reach. */
  private boolean[] wanted(Choice choice, int ingress) {
    boolean[] wanted = egress.clone();
    if (choice.kind() == Route.Kind.HAMILTONIAN) {
      Arrays.fill(wanted, true);
    }
    wanted[ingress] = false;
    return wanted;
  }

  /** The edges that routes of a demand may use. */
  private boolean[] usable(Choice choice, int ingress) {
    int first = network.number(choice.demand().identity().first());
    boolean[] byFirst = network.reached(network.target(first), ingress);
    boolean[] usable = new boolean[network.edgeCount()];
    Arrays.fill(usable, true);
    for (int link : network.out(ingress)) {
      usable[network.edge(link)] =
          link == first
              || (choice.kind() != Route.Kind.HAMILTONIAN && !byFirst[network.target(link)]);
    }
    return usable;
  }

  /** The sub-flows that no longer arrive. */
  private double cutOff(Counter counter, boolean[] wanted, int[] hops) {
    double cutOff = 0;
    for (int number = 0; number < wanted.length; number++) {
      if (wanted[number] && hops[number] < 0) {
        if (counter.isWhole()) {
          return counter.subflows();
        }
        cutOff += counter.ending()[number];
      }
    }
    return cutOff;
  }

  /**
   * How far each switch is from the ingress switch without one of the edges; -1 if out of reach.
   */
  private int[] hops(int ingress, boolean[] usable, int without) {
    int[] hops = new int[network.switchCount()];
    Arrays.fill(hops, -1);
    hops[ingress] = 0;
    Deque<Integer> queue = new ArrayDeque<>();
    queue.add(ingress);
    while (!queue.isEmpty()) {
      int at = queue.remove();
      for (int link : network.out(at)) {
        int edge = network.edge(link);
        int target = network.target(link);
        if (edge != without && usable[edge] && hops[target] < 0) {
          hops[target] = hops[at] + 1;
          queue.add(target);
        }
      }
    }
    return hops;
  }
}
