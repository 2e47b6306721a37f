package io.malob.bench.micro;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.server.LeastConnections;
import io.malob.algorithm.server.RoundRobin;
import io.malob.algorithm.server.WeightedRoundRobin;
import java.util.List;
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

/** Picking a server, and for fewest connections also counting the connection on it. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
@State(Scope.Benchmark)
public class PickBenchmark {
  @Param({"10", "1000", "60000"})
  private int members;

  private final ServiceProfile service = new ServiceProfile();
  private ImmutableList<Server> servers;
  private RoundRobin roundRobin;
  private WeightedRoundRobin weightedRoundRobin;
  private LeastConnections leastConnections;

  /** Makes the pickers of one pool. */
  @Setup
  public void setUp() {
    servers = Servers.on(List.of(DatapathId.of(1)), members);
    roundRobin = new RoundRobin(servers, new AtomicInteger());
    weightedRoundRobin = new WeightedRoundRobin(servers, new AtomicInteger());
    leastConnections = new LeastConnections(servers, Counting.PLACED_SINCE);
  }

  /** RR. */
  @Benchmark
  public int roundRobin() {
    return roundRobin.pick(service);
  }

  /** WRR. */
  @Benchmark
  public int weightedRoundRobin() {
    return weightedRoundRobin.pick(service);
  }

  /** LC, with the load that each pick makes. */
  @Benchmark
  public int leastConnections() {
    int picked = leastConnections.pick(service);
    Server server = servers.get(picked);
    server.load().opened();
    leastConnections.loadChanged(server);
    return picked;
  }
}
