package io.malob.bench.micro;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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

/**
 * The cost of another latency and throughput of one link: the next snapshot, with all paths between
 * switches with clients and switches with servers, both ways, by SPH, SPL and HTP.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@State(Scope.Benchmark)
public class RecomputeBenchmark {
  @Param({"CHORDS_1000"})
  private Shape network;

  @Param({"100", "1000"})
  private int clientSwitches;

  @Param({"20"})
  private int serverSwitches;

  private List<DatapathId> clients;
  private List<DatapathId> servers;
  private Links links;
  private NetworkSnapshot snapshot;
  private LinkValues next;

  /** Makes a network of which all paths are known. */
  @Setup
  public void setUp(Blackhole blackhole) {
    Topology topology = Topology.of(network.switches(), network.links());
    List<DatapathId> switches = topology.switches().asList();
    clients = switches.subList(0, clientSwitches);
    servers = switches.subList(switches.size() - serverSwitches, switches.size());
    links = new Links(topology, new LinkLoads());
    snapshot = new NetworkSnapshot(links.values());
    lookUpAll(blackhole);
  }

  /** Changes a link. */
  @Setup(Level.Invocation)
  public void change() {
    next = links.changed();
  }

  /** The next snapshot and its paths. */
  @Benchmark
  public void afterOneLinkChanged(Blackhole blackhole) {
    snapshot = snapshot.with(next);
    lookUpAll(blackhole);
  }

  private void lookUpAll(Blackhole blackhole) {
    for (DatapathId client : clients) {
      for (DatapathId server : servers) {
        blackhole.consume(snapshot.fewestHops(client, server));
        blackhole.consume(snapshot.fewestHops(server, client));
        blackhole.consume(snapshot.lowestLatency(client, server));
        blackhole.consume(snapshot.lowestLatency(server, client));
        blackhole.consume(snapshot.widest(client, server));
        blackhole.consume(snapshot.widest(server, client));
      }
    }
  }
}
