package io.malob.bench.micro;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.infra.Blackhole;
import org.projectfloodlight.openflow.types.DatapathId;

/** The cost of a change of the network. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
@State(Scope.Benchmark)
public class RebuildBenchmark {
  @Param private Shape network;

  private ImmutableList<DatapathId> switches;
  private ImmutableList<DirectedLink> links;
  private Topology topology;

  /** Makes the network. */
  @Setup
  public void setUp() {
    switches = network.switches();
    links = network.links();
    topology = Topology.of(switches, links);
  }

  /** The topology of switches and links. */
  @Benchmark
  public Topology topology() {
    return Topology.of(switches, links);
  }

  /** The paths from one switch. */
  @Benchmark
  public PathTree pathTree() {
    return PathTree.fewestHops(topology, switches.get(0));
  }

  /** A new snapshot, with all paths from each switch to each. */
  @Benchmark
  public void snapshotWithAllPaths(Blackhole blackhole) {
    NetworkSnapshot snapshot = new NetworkSnapshot(topology);
    for (DatapathId from : switches) {
      for (DatapathId to : switches) {
        blackhole.consume(snapshot.fewestHops(from, to));
      }
    }
  }
}
