package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.malob.simulation.fluid.EventQueue;
import io.malob.simulation.model.Workload.ClosedLoop;
import io.malob.simulation.model.Workload.Poisson;
import io.malob.simulation.model.Workload.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One run of clients, network, servers and measurements around a real placer. Deterministic: the
 * same setting, workload and seed give the same outcome to the last digit.
 */
public final class Simulation {
  private final EventQueue events = new EventQueue();
  private final Herding herding = new Herding();
  private final List<Progress> all = new ArrayList<>();
  private final Requests requests;
  private int unfinished;

  private Simulation(Setting setting, Workload workload, long seed) {
    ImmutableList<SimulatedServer> servers =
        setting.processors().stream()
            .map(processors -> new SimulatedServer(events, processors))
            .collect(ImmutableList.toImmutableList());
    FluidNetwork network = new FluidNetwork(events, setting.network());
    SimulatedBalancer balancer = new SimulatedBalancer(events, setting);
    requests = new Requests(events, setting.network(), balancer, network, servers, herding::placed);
    new Measuring(events, setting, network, servers, balancer).start(herding::measured);
    // separate random streams, so that all algorithms have the same clients
    SplittableRandom streams = new SplittableRandom(seed);
    workload.sources().forEach(source -> all.add(new Progress(source, streams.split())));
    unfinished = all.size();
    setting.antagonists().start(events, network, setting.network(), servers, streams);
  }

  /** Runs until each source has its number of requests. */
  public static Outcome run(Setting setting, Workload workload, long seed) {
    Simulation simulation = new Simulation(setting, workload, seed);
    simulation.all.forEach(Progress::first);
    simulation.events.runUntil(() -> simulation.unfinished == 0);
    return simulation.outcome();
  }

  private Outcome outcome() {
    ImmutableListMultimap.Builder<String, Double> seconds = ImmutableListMultimap.builder();
    all.forEach(one -> seconds.putAll(one.source.service().name(), one.seconds));
    return new Outcome(seconds.build(), herding.serverShare(), herding.linkShare());
  }

  /** How far one source is. */
  private final class Progress {
    private final Source source;
    private final SplittableRandom random;
    private final List<Double> seconds = new ArrayList<>();
    private int started;

    Progress(Source source, SplittableRandom random) {
      this.source = source;
      this.random = random;
    }

    void first() {
      if (source instanceof ClosedLoop loop) {
        afterPause(loop.pauseSeconds(), this::next);
      } else if (source instanceof Poisson poisson) {
        afterPause(1 / poisson.perSecond(), this::arrive);
      }
    }

    private void next() {
      boolean counts = started++ < source.requests();
      requests.start(
          source.at().switchId(),
          request(),
          took -> {
            if (counts) {
              took(took);
            }
            if (source instanceof ClosedLoop loop) {
              afterPause(loop.pauseSeconds(), this::next);
            }
          });
    }

    private Service request() {
      return source instanceof Poisson poisson && poisson.varied()
          ? source.service().drawn(random)
          : source.service();
    }

    private void arrive() {
      next();
      if (source instanceof Poisson poisson) {
        afterPause(1 / poisson.perSecond(), this::arrive);
      }
    }

    private void took(double took) {
      seconds.add(took);
      if (seconds.size() == source.requests()) {
        unfinished--;
      }
    }

    /** Exponentially distributed. */
    private void afterPause(double meanSeconds, Runnable action) {
      events.after(meanSeconds * Service.exponential(random), action);
    }
  }
}
