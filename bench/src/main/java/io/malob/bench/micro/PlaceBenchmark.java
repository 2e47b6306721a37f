package io.malob.bench.micro;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placers;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ResponseTimes;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.Topology;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.projectfloodlight.openflow.types.DatapathId;

/** A placement from request to result, over 1,000 servers and clients at all switches in turn. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
@State(Scope.Benchmark)
public class PlaceBenchmark {
  private static final int SERVERS = 1_000;

  /** How many connections are open at a time. */
  private static final int OPEN = 10_000;

  @Param private Shape network;

  @Param({"RR+SPH", "LC+SPH", "RR+HTP", "SL-PS", "HT-PS", "PCT", "PREQUAL"})
  private String algorithm;

  private final ServiceProfile profile = new ServiceProfile();
  private ImmutableList<DatapathId> switches;
  private NetworkSnapshot snapshot;
  private Placer placer;
  private LinkLoads loads;
  private final Placement[] open = new Placement[OPEN];
  private int oldest;
  private int next;

  /** Makes the network and the placer. */
  @Setup
  public void setUp() {
    switches = network.switches();
    loads = new LinkLoads();
    snapshot =
        new NetworkSnapshot(new Links(Topology.of(switches, network.links()), loads).values());
    ImmutableList<Server> servers = Servers.on(switches, SERVERS);
    for (Server server : servers) {
      for (int i = 0; i < ResponseTimes.KEPT; i++) {
        profile.responded(server.number(), i, 10e6 * (i + 1));
      }
    }
    placer =
        Placers.of(
            Algorithm.named(algorithm).orElseThrow(),
            servers,
            new AtomicInteger(),
            Counting.PLACED_SINCE);
  }

  /** Places one connection and counts it on its server and links; another one ends. */
  @Benchmark
  public Placement place() {
    next = next + 1 == switches.size() ? 0 : next + 1;
    Placer.Result result =
        placer.place(new Placer.Request(switches.get(next), server -> true, profile), snapshot);
    if (!(result instanceof Placement placement)) {
      throw new IllegalStateException("no placement but " + result);
    }
    if (open[oldest] != null) {
      open[oldest].server().load().closed();
      count(open[oldest], -1);
    }
    open[oldest] = placement;
    oldest = oldest + 1 == OPEN ? 0 : oldest + 1;
    placement.server().load().opened();
    count(placement, 1);
    return placement;
  }

  private void count(Placement placement, int change) {
    loads.along(placement.requestPath()).forEach(load -> load.add(change));
    loads.along(placement.replyPath()).forEach(load -> load.add(change));
    placer.loadChanged(placement.server());
  }
}
