package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * The outcomes of several runs that differ only by their seed.
 *
 * @param outcomes in the order of the seeds
 */
public record Runs(ImmutableList<Outcome> outcomes) {

  /** Runs with the seeds from 1 up to that number, in parallel: they share nothing. */
  public static Runs of(Setting setting, Workload workload, int seeds) {
    return of(seed -> Simulation.run(setting, workload, seed), seeds);
  }

  /** The same by {@link Simulation#omniscient}. */
  public static Runs omniscient(Setting setting, Workload workload, int seeds) {
    return of(seed -> Simulation.omniscient(setting, workload, seed), seeds);
  }

  private static Runs of(LongFunction<Outcome> run, int seeds) {
    return new Runs(
        LongStream.rangeClosed(1, seeds)
            .parallel()
            .mapToObj(run)
            .collect(ImmutableList.toImmutableList()));
  }

  /** The times of all requests of all runs, in seconds. */
  public Sample all() {
    return new Sample(outcomes.stream().flatMap(run -> run.seconds().values().stream()).toList());
  }

  /** The times of all requests for a service, in seconds. */
  public Sample of(Service service) {
    return new Sample(
        outcomes.stream().flatMap(run -> run.seconds().get(service.name()).stream()).toList());
  }

  /** One value of each run. */
  public Sample each(ToDoubleFunction<Outcome> value) {
    return new Sample(outcomes.stream().mapToDouble(value).boxed().toList());
  }

  /** The mean of a value over the runs that have it; empty if none has. */
  public OptionalDouble mean(Function<Outcome, OptionalDouble> value) {
    List<Double> there = outcomes.stream().map(value).flatMap(one -> one.stream().boxed()).toList();
    return there.stream().mapToDouble(Double::doubleValue).average();
  }
}
