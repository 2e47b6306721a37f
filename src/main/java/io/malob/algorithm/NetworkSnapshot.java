package io.malob.algorithm;

import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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
    @Nullable Paths paths = fewestHops.get(src);
    if (paths == null) {
      paths =
          fewestHops.computeIfAbsent(
              src, source -> new Paths(PathTree.fewestHops(topology, source)));
    }
    return paths.to(dst);
  }

  /** The paths of one tree, each put together once. */
  private static final class Paths {
    private final Map<DatapathId, Optional<Path>> byDestination = new ConcurrentHashMap<>();
    private final Function<DatapathId, Optional<Path>> find;

    Paths(PathTree tree) {
      find = tree::pathTo;
    }

    Optional<Path> to(DatapathId destination) {
      return byDestination.computeIfAbsent(destination, find);
    }
  }
}
