package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** One path from a source switch to each switch that it can reach. Immutable. */
public final class PathTree {
  private final DatapathId source;
  private final ImmutableMap<DatapathId, DirectedLink> lastLinks;

  private PathTree(DatapathId source, ImmutableMap<DatapathId, DirectedLink> lastLinks) {
    this.source = source;
    this.lastLinks = lastLinks;
  }

  /**
   * The paths with the fewest links, by breadth-first search; of several, the one whose sequence of
   * switch ids is the smallest. Linear in switches and links.
   */
  public static PathTree fewestHops(Topology topology, DatapathId source) {
    Map<DatapathId, DirectedLink> lastLinks = new HashMap<>();
    ArrayDeque<DatapathId> queue = new ArrayDeque<>(List.of(source));
    // links come in the order of the switches they reach, so the first to arrive is the smallest
    for (DatapathId at = queue.poll(); at != null; at = queue.poll()) {
      for (DirectedLink link : topology.linksFrom(at)) {
        if (!link.dst().equals(source) && lastLinks.putIfAbsent(link.dst(), link) == null) {
          queue.add(link.dst());
        }
      }
    }
    return new PathTree(source, ImmutableMap.copyOf(lastLinks));
  }

  /** The path to a switch; empty if it cannot be reached. */
  public Optional<Path> pathTo(DatapathId destination) {
    List<DirectedLink> links = new ArrayList<>();
    DatapathId at = destination;
    while (!at.equals(source)) {
      @Nullable DirectedLink link = lastLinks.get(at);
      if (link == null) {
        return Optional.empty();
      }
      links.add(link);
      at = link.src();
    }
    Collections.reverse(links);
    return Optional.of(new Path(source, ImmutableList.copyOf(links)));
  }

  /** The links that the paths use: a tree that spans all switches that can be reached. */
  public ImmutableList<DirectedLink> links() {
    return lastLinks.values().asList();
  }
}
