package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableTable;
import com.google.common.collect.Streams;
import io.malob.simulation.model.Workload.Source;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Function;

/**
 * Several services, each alone and all at once, by each of several rules. Clients do not differ
 * between rules: the same seed gives the same pauses.
 */
public final class Mix {
  /** The rules that predict completion times; all others are fixed ones. */
  public static final ImmutableList<String> PREDICTIONS = ImmutableList.of("PCT", "PREQUAL");

  /** Scores are relative to this rule. */
  private static final String BASE = "RR+SPH";

  private static final int PAGES_PER_FILE = 20;
  private static final double PAUSE_SECONDS = 1;

  private final ImmutableList<Service> services;
  private final ImmutableTable<Service, String, Runs> alone;
  private final ImmutableMap<String, Runs> mixed;

  private Mix(
      ImmutableList<Service> services,
      ImmutableTable<Service, String, Runs> alone,
      ImmutableMap<String, Runs> mixed) {
    this.services = services;
    this.alone = alone;
    this.mixed = mixed;
  }

  /**
   * Runs everything.
   *
   * @param requests how many of each client count; of a service of several exchanges more
   * @param setting for a rule
   */
  public static Mix run(
      LabNetwork network,
      ImmutableList<Service> services,
      int requests,
      int seeds,
      ImmutableList<String> rules,
      Function<String, Setting> setting) {
    ImmutableTable.Builder<Service, String, Runs> alone = ImmutableTable.builder();
    ImmutableMap.Builder<String, Runs> mixed = ImmutableMap.builder();
    Workload all = workload(network, services, requests);
    for (String rule : rules) {
      for (Service service : services) {
        Workload one = workload(network, ImmutableList.of(service), requests);
        alone.put(service, rule, Runs.of(setting.apply(rule), one, seeds));
      }
      mixed.put(rule, Runs.of(setting.apply(rule), all, seeds));
    }
    return new Mix(services, alone.buildOrThrow(), mixed.buildOrThrow());
  }

  private static Workload workload(
      LabNetwork network, ImmutableList<Service> services, int requests) {
    ImmutableList.Builder<Source> sources = ImmutableList.builder();
    for (Service service : services) {
      int counted = service.exchanges() > 1 ? PAGES_PER_FILE * requests : requests;
      sources.addAll(
          Workload.closedLoops(network, network.clients().size(), service, counted, PAUSE_SECONDS));
    }
    return new Workload(sources.build());
  }

  /** The services, in the order of results. */
  public ImmutableList<Service> services() {
    return services;
  }

  /** The mean time of a service's requests when there are no others, by seed, in seconds. */
  public Sample alone(Service service, String rule) {
    return means(Objects.requireNonNull(alone.get(service, rule)), service);
  }

  /** The mean time of a service's requests among those of the others, by seed, in seconds. */
  public Sample mixed(Service service, String rule) {
    return means(runs(rule), service);
  }

  private Runs runs(String rule) {
    return Objects.requireNonNull(mixed.get(rule), rule);
  }

  private static Sample means(Runs runs, Service service) {
    return runs.each(run -> run.of(service).mean());
  }

  /**
   * The score of a rule in the mix, by seed: the mean time of each service relative to that by
   * RR+SPH with the same seed, on average over the services. Smaller is better.
   */
  public Sample scores(String rule) {
    return new Sample(
        Streams.zip(runs(rule).outcomes().stream(), runs(BASE).outcomes().stream(), this::relative)
            .toList());
  }

  private double relative(Outcome outcome, Outcome base) {
    return services.stream()
        .mapToDouble(service -> outcome.of(service).mean() / base.of(service).mean())
        .average()
        .orElseThrow();
  }

  /** The fixed rule with the smallest mean of a value. */
  public String best(Function<String, Sample> value) {
    return mixed.keySet().stream()
        .filter(rule -> !PREDICTIONS.contains(rule))
        .min(Comparator.comparingDouble(rule -> value.apply(rule).mean()))
        .orElseThrow();
  }

  /** A value of a predicting rule relative to that of another, by seed. */
  public static Sample ofBest(String prediction, Function<String, Sample> value, String best) {
    return new Sample(
        Streams.zip(
                value.apply(prediction).inOrder().stream(),
                value.apply(best).inOrder().stream(),
                (predicted, fixed) -> predicted / fixed)
            .toList());
  }
}
