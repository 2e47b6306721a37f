package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.estimate.ActiveCount;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections that are active on each direction of each link. Outlives topologies: a link that
 * comes back has the connections that still are on it. Thread-safe.
 */
public final class LinkLoads {
  private final Map<DirectedLink, ActiveCount> byLink = new ConcurrentHashMap<>();

  /** The count of one link; always the same object while anything is on it. */
  public ActiveCount of(DirectedLink link) {
    return byLink.computeIfAbsent(link, any -> new ActiveCount());
  }

  /** The counts of a path's links. */
  public ImmutableList<ActiveCount> along(Path path) {
    return path.links().stream().map(this::of).collect(ImmutableList.toImmutableList());
  }

  /** Forgets links that have gone, unless there is something on them. */
  public void retain(Topology topology) {
    byLink.keySet().removeIf(link -> !topology.contains(link) && of(link).now() == 0);
  }
}
