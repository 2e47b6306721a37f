package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A directed way from one edge switch to another. A path from a switch to itself has no links.
 *
 * @param src the first switch
 * @param links the links in order, each starting where the one before it ends
 */
public record Path(DatapathId src, ImmutableList<DirectedLink> links) {

  public Path {
    DatapathId at = src;
    for (DirectedLink link : links) {
      if (!link.src().equals(at)) {
        throw new IllegalArgumentException(
            "a path that is at " + at + " cannot go on over " + link);
      }
      at = link.dst();
    }
  }

  /** The path within one switch. */
  public static Path within(DatapathId switchId) {
    return new Path(switchId, ImmutableList.of());
  }

  /** The last switch. */
  public DatapathId dst() {
    return links.isEmpty() ? src : links.get(links.size() - 1).dst();
  }

  /** How many links the path has. */
  public int hops() {
    return links.size();
  }

  @Override
  public String toString() {
    return src + links.stream().map(link -> " -> " + link.dst()).collect(Collectors.joining());
  }
}
