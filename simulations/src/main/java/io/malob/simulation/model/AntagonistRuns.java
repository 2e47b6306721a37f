package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.simulation.model.LabNetwork.Host;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Runs in which antagonists use servers and links: random requests at all clients of a network with
 * several servers at each place.
 *
 * <p>The load is relative to a balancer that sends as many requests from each client to each
 * server, over the path with the fewest links: of the servers, it is the part of the processor time
 * that they have on average; of the links, the part of the busiest one that cross traffic leaves on
 * average.
 */
public final class AntagonistRuns {
  private static final int SERVERS_PER_PLACE = 2;
  private static final int PROCESSORS = 4;
  private static final double INTERVAL_SECONDS = 1;

  private static final Antagonists ANTAGONISTS =
      new Antagonists(3, ImmutableList.of(0.25, 0.5, 0.75, 1.0), ImmutableList.of(0.0, 0.2, 0.4));

  /** What the requests need much of; of the other one, they need a tenth of that. */
  public enum Scarce {
    SERVERS,
    LINKS,
    BOTH
  }

  private final LabNetwork network;
  private final double load;
  private final double answerBits;
  private final int requests;

  /**
   * Runs on a network.
   *
   * @param network its servers are repeated
   * @param load above 0; 1 is all that servers or the busiest link have
   * @param answerBits the mean size of an answer where links are scarce; a tenth where they are not
   * @param requests how many of each client count
   */
  public AntagonistRuns(LabNetwork network, double load, double answerBits, int requests) {
    this.network = network.withServersPerPlace(SERVERS_PER_PLACE);
    this.load = load;
    this.answerBits = answerBits;
    this.requests = requests;
  }

  /** The percentiles of the times of the requests of one run each, in seconds. */
  public record Percentiles(Sample p50, Sample p99, Sample p999) {
    /** All, by name. */
    public ImmutableMap<String, Sample> byName() {
      return ImmutableMap.of("p50", p50, "p99", p99, "p99.9", p999);
    }
  }

  /** Runs with the seeds from 1 up to a number, in parallel: they share nothing. */
  public Percentiles run(Algorithm algorithm, Scarce scarce, int seeds) {
    int servers = network.servers().size();
    Setting setting =
        new Setting(
            network,
            algorithm,
            Counting.PLACED_SINCE,
            INTERVAL_SECONDS,
            ImmutableList.copyOf(Collections.nCopies(servers, PROCESSORS)),
            ImmutableList.copyOf(Collections.nCopies(servers, 1)),
            ANTAGONISTS);
    Workload workload = workload(scarce);
    List<Sample> runs =
        LongStream.rangeClosed(1, seeds)
            .parallel()
            .mapToObj(seed -> Simulation.run(setting, workload, seed).all())
            .toList();
    return new Percentiles(each(runs, 50), each(runs, 99), each(runs, 99.9));
  }

  private static Sample each(List<Sample> runs, double percent) {
    return new Sample(runs.stream().map(run -> run.percentile(percent)).toList());
  }

  private Workload workload(Scarce scarce) {
    double perSecond = 1 / fullestLinkSecondsPerRequest();
    double cpuSeconds = network.servers().size() * PROCESSORS * ANTAGONISTS.meanQuota() / perSecond;
    Service service =
        new Service(
            "request",
            1,
            scarce == Scarce.SERVERS ? answerBits / 10 : answerBits,
            scarce == Scarce.LINKS ? cpuSeconds / 10 : cpuSeconds);
    return new Workload(
        Workload.poisson(
            network, service, requests, load * perSecond / network.clients().size(), true));
  }

  /** How long the busiest link takes for the answers of one request, on average. */
  private double fullestLinkSecondsPerRequest() {
    NetworkSnapshot idle = network.idle();
    Map<DirectedLink, Double> seconds = new HashMap<>();
    double part = 1.0 / (network.clients().size() * network.servers().size());
    for (Host client : network.clients()) {
      for (Host server : network.servers()) {
        Path path = idle.fewestHops(server.switchId(), client.switchId()).orElseThrow();
        for (DirectedLink link : path.links()) {
          double freeBps = network.limits(link).capacityBps() * ANTAGONISTS.meanFree();
          seconds.merge(link, part * answerBits / freeBps, Double::sum);
        }
      }
    }
    return Collections.max(seconds.values());
  }
}
