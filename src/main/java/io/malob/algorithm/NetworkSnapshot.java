package io.malob.algorithm;

import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The network at one moment: switches, links, and what is known of the links. Immutable but for
 * what it remembers of its own results: paths are computed once per source switch, when first asked
 * for, and then looked up. Thread-safe.
 */
public final class NetworkSnapshot {

  /** A network without switches. */
  public static final NetworkSnapshot EMPTY = new NetworkSnapshot(Topology.EMPTY);

  private final Topology topology;
  private final LinkValues values;
  private final Lookup fewestHops;
  private final Lookup lowestLatency;
  private final Lookup widest;

  /** A network of whose links nothing is known. */
  public NetworkSnapshot(Topology topology) {
    this(topology, LinkValues.unknown(topology));
  }

  /** A network with what is known of the links of this very topology. */
  public NetworkSnapshot(Topology topology, LinkValues values) {
    this.topology = topology;
    this.values = values;
    this.fewestHops = new Lookup(source -> values.fewestHops(source)::pathTo);
    this.lowestLatency = new Lookup(source -> values.lowestLatency(source)::pathTo);
    this.widest = new Lookup(source -> values.widest(source)::pathTo);
  }

  /** The switches and links. */
  public Topology topology() {
    return topology;
  }

  /** What is known of the links. */
  public LinkValues values() {
    return values;
  }

  /**
   * The path with the fewest links from one switch to another, of several that with the lowest
   * latency, then with the smaller switch ids; empty if there is none.
   */
  public Optional<Path> fewestHops(DatapathId src, DatapathId dst) {
    return fewestHops.path(src, dst);
  }

  /**
   * The path with the lowest sum of latencies, of several that with the fewest links, then with the
   * smaller switch ids; empty if there is none.
   */
  public Optional<Path> lowestLatency(DatapathId src, DatapathId dst) {
    return lowestLatency.path(src, dst);
  }

  /**
   * The path whose narrowest link is the widest, of several that with the lowest latency, then with
   * the fewest links, then with the smaller switch ids; empty if there is none.
   */
  public Optional<Path> widest(DatapathId src, DatapathId dst) {
    return widest.path(src, dst);
  }

  /** The best paths by one rule, searched for once per source and put together once. */
  private static final class Lookup {
    private final Function<DatapathId, Function<DatapathId, Optional<Path>>> search;
    private final Map<DatapathId, Paths> bySource = new ConcurrentHashMap<>();

    Lookup(Function<DatapathId, Function<DatapathId, Optional<Path>>> search) {
      this.search = search;
    }

    Optional<Path> path(DatapathId src, DatapathId dst) {
      @Nullable Paths paths = bySource.get(src);
      if (paths == null) {
        paths = bySource.computeIfAbsent(src, source -> new Paths(search.apply(source)));
      }
      return paths.to(dst);
    }
  }

  private static final class Paths {
    private final Map<DatapathId, Optional<Path>> byDestination = new ConcurrentHashMap<>();
    private final Function<DatapathId, Optional<Path>> find;

    Paths(Function<DatapathId, Optional<Path>> find) {
      this.find = find;
    }

    Optional<Path> to(DatapathId destination) {
      return byDestination.computeIfAbsent(destination, find);
    }
  }
}
