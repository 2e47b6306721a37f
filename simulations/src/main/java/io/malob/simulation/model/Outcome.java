package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import java.util.OptionalDouble;

/**
 * The result of a simulation.
 *
 * @param seconds by service: how long its requests took
 * @param serverShare the largest share of one server in the placements between two measurements, on
 *     average; empty if there were too few placements
 * @param linkShare the largest share of one link
 */
public record Outcome(
    ImmutableListMultimap<String, Double> seconds,
    OptionalDouble serverShare,
    OptionalDouble linkShare) {

  /** The times of all requests. */
  public Sample all() {
    return new Sample(seconds.values());
  }

  /** The times of a service's requests. */
  public Sample of(Service service) {
    ImmutableList<Double> times = seconds.get(service.name());
    return new Sample(times);
  }
}
