package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A directed path from one edge switch to another; a path from a switch to itself has no links.
 * Immutable. The hash is computed once, because paths are looked up for every connection.
 */
public final class Path {
  private final DatapathId src;
  private final ImmutableList<DirectedLink> links;
  private final int hash;

  /**
   * The path over these links.
   *
   * @param src the first switch
   * @param links the links in order, each starting where the one before it ends
   */
  public Path(DatapathId src, ImmutableList<DirectedLink> links) {
    DatapathId at = src;
    for (DirectedLink link : links) {
      if (!link.src().equals(at)) {
        throw new IllegalArgumentException(
            "a path that is at " + at + " cannot go on over " + link);
      }
      at = link.dst();
    }
    this.src = src;
    this.links = links;
    this.hash = 31 * src.hashCode() + links.hashCode();
  }

  /** The path within one switch. */
  public static Path within(DatapathId switchId) {
    return new Path(switchId, ImmutableList.of());
  }

  /** The first switch. */
  public DatapathId src() {
    return src;
  }

  /** The last switch. */
  public DatapathId dst() {
    return links.isEmpty() ? src : links.get(links.size() - 1).dst();
  }

  /** The links in order. */
  public ImmutableList<DirectedLink> links() {
    return links;
  }

  /** The switches in order, the first and the last included. */
  public ImmutableList<DatapathId> switches() {
    ImmutableList.Builder<DatapathId> switches = ImmutableList.builder();
    switches.add(src);
    links.forEach(link -> switches.add(link.dst()));
    return switches.build();
  }

  /** The port by which it leaves its first switch; there is none within one switch. */
  public OFPort firstPort() {
    return links.get(0).srcPort();
  }

  /**
   * The port by which it leaves a switch; {@link OFPort#IN_PORT} if it comes in by the same port,
   * because switches send nothing back by its number. Empty at its end and off it.
   */
  public Optional<OFPort> outOf(DatapathId switchId) {
    for (int i = 0; i < links.size(); i++) {
      DirectedLink link = links.get(i);
      if (link.src().equals(switchId)) {
        boolean turns = i > 0 && links.get(i - 1).dstPort().equals(link.srcPort());
        return Optional.of(turns ? OFPort.IN_PORT : link.srcPort());
      }
    }
    return Optional.empty();
  }

  /** How many links the path has. */
  public int hops() {
    return links.size();
  }

  /** The beginning of the path, with this many links. */
  public Path beginning(int hops) {
    return new Path(src, links.subList(0, hops));
  }

  /** This path after one more link, which ends where it begins. */
  public Path after(DirectedLink first) {
    return new Path(
        first.src(), ImmutableList.<DirectedLink>builder().add(first).addAll(links).build());
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Path that
            && hash == that.hash
            && src.equals(that.src)
            && links.equals(that.links));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return switches().stream().map(DatapathId::toString).collect(Collectors.joining(" -> "));
  }
}
