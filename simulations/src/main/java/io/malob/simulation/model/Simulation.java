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

  private Simulation(Setting setting, Workload workload, long seed, boolean isOmniscient) {
    ImmutableList<SimulatedServer> servers =
        setting.processors().stream()
            .map(processors -> new SimulatedServer(events, processors))
            .collect(ImmutableList.toImmutableList());
    FluidNetwork network = new FluidNetwork(events, setting.network());
    Balancer balancer =
        isOmniscient
            ? new Omniscient(events, setting, network)
            : measuredBalancer(setting, network, servers);
    requests = new Requests(events, setting.network(), balancer, network, servers, herding::placed);
    // separate random streams, so that all algorithms have the same clients
    SplittableRandom streams = new SplittableRandom(seed);
    workload.sources().forEach(source -> all.add(new Progress(source, streams.split())));
    unfinished = all.size();
    setting.antagonists().start(events, network, setting.network(), servers, streams);
  }

  private Balancer measuredBalancer(
      Setting setting, FluidNetwork network, ImmutableList<SimulatedServer> servers) {
    SimulatedBalancer balancer = new SimulatedBalancer(events, setting);
    new Measuring(events, setting, network, servers, balancer).start(herding::measured);
    return balancer;
  }

  /** Runs until each source has its number of requests. */
  public static Outcome run(Setting setting, Workload workload, long seed) {
    return new Simulation(setting, workload, seed, false).run();
  }

  /**
   * The same, but {@link Omniscient} places the requests. Of the setting, it uses the network
   * alone.
   */
  public static Outcome omniscient(Setting setting, Workload workload, long seed) {
    return new Simulation(setting, workload, seed, true).run();
  }

  private Outcome run() {
    all.forEach(Progress::first);
    events.runUntil(() -> unfinished == 0);
    return outcome();
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
