package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.MapMaker;
import io.malob.algorithm.estimate.ActiveCount;
import java.util.concurrent.ConcurrentMap;

/**
 * The connections that are active on each direction of each link. Outlives topologies: a count
 * lives as long as a label or a network snapshot refers to it, so that a link that comes back has
 * the count that the labels over it go on counting with. Thread-safe.
 */
public final class LinkLoads {
  private final ConcurrentMap<DirectedLink, ActiveCount> byLink =
      new MapMaker().weakValues().makeMap();

  /** The count of one link; always the same object while anything refers to it. */
  public ActiveCount of(DirectedLink link) {
    return byLink.computeIfAbsent(link, any -> new ActiveCount());
  }

  /** The counts of a path's links. */
  public ImmutableList<ActiveCount> along(Path path) {
    return path.links().stream().map(this::of).collect(ImmutableList.toImmutableList());
  }
}
