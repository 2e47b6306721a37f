package io.malob.algorithm;

import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The network at one moment. Immutable but for what it remembers of its own results: paths are
 * computed once per source switch, when first asked for, and then looked up. Thread-safe.
 */
public final class NetworkSnapshot {

  /** A network without switches. */
  public static final NetworkSnapshot EMPTY = new NetworkSnapshot(Topology.EMPTY);

  private final Topology topology;
  private final Map<DatapathId, Paths> fewestHops = new ConcurrentHashMap<>();

  public NetworkSnapshot(Topology topology) {
    this.topology = topology;
  }

  /** The switches and links. */
  public Topology topology() {
    return topology;
  }

  /** The path with the fewest links from one switch to another; empty if there is none. */
  public Optional<Path> fewestHops(DatapathId src, DatapathId dst) {
    return fewestHops
        .computeIfAbsent(src, source -> new Paths(PathTree.fewestHops(topology, source)))
        .to(dst);
  }

  /** The paths of one tree, each put together once. */
  private record Paths(PathTree tree, Map<DatapathId, Optional<Path>> byDestination) {
    Paths(PathTree tree) {
      this(tree, new ConcurrentHashMap<>());
    }

    Optional<Path> to(DatapathId destination) {
      return byDestination.computeIfAbsent(destination, tree::pathTo);
    }
  }
}
