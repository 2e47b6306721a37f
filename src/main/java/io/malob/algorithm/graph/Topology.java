package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Collection;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The switches and the directed links between them. Immutable; switches and links are sorted, so
 * that computations on a topology are deterministic.
 */
public final class Topology {

  /** No switches. */
  public static final Topology EMPTY = of(ImmutableList.of(), ImmutableList.of());

  private final ImmutableSortedSet<DatapathId> switches;
  private final ImmutableListMultimap<DatapathId, DirectedLink> linksFrom;
  private final Adjacency adjacency;

  private Topology(
      ImmutableSortedSet<DatapathId> switches,
      ImmutableListMultimap<DatapathId, DirectedLink> linksFrom) {
    this.switches = switches;
    this.linksFrom = linksFrom;
    this.adjacency = new Adjacency(switches, linksFrom.values());
  }

  /** The topology of these switches and links; links from or to any other switch are left out. */
  public static Topology of(Collection<DatapathId> switches, Collection<DirectedLink> links) {
    ImmutableSortedSet<DatapathId> sorted = ImmutableSortedSet.copyOf(switches);
    ImmutableListMultimap.Builder<DatapathId, DirectedLink> linksFrom =
        ImmutableListMultimap.builder();
    links.stream()
        .filter(link -> sorted.contains(link.src()) && sorted.contains(link.dst()))
        .sorted()
        .forEach(link -> linksFrom.put(link.src(), link));
    return new Topology(sorted, linksFrom.build());
  }

  /** All switches, by id. */
  public ImmutableSortedSet<DatapathId> switches() {
    return switches;
  }

  /** The links that leave a switch, by the id of the switch that they reach. */
  public ImmutableList<DirectedLink> linksFrom(DatapathId switchId) {
    return linksFrom.get(switchId);
  }

  /** The links that lead from one switch straight to another, by port. */
  public ImmutableList<DirectedLink> linksBetween(DatapathId src, DatapathId dst) {
    return linksFrom(src).stream()
        .filter(link -> link.dst().equals(dst))
        .collect(ImmutableList.toImmutableList());
  }

  /** Whether the topology has all switches and links of a path. */
  public boolean contains(Path path) {
    return switches.contains(path.src()) && path.links().stream().allMatch(adjacency::contains);
  }

  /** Whether the topology has a link. */
  public boolean contains(DirectedLink link) {
    return adjacency.contains(link);
  }

  /**
   * Whether a path over two links leaves the switch between by the port where it came in, although
   * a third link replaces both: several switches share a segment there.
   */
  public boolean isDetour(DirectedLink first, DirectedLink second) {
    return first.dstPort().equals(second.srcPort())
        && contains(SegmentDetours.direct(first, second));
  }

  /** The same in arrays, for searches. */
  Adjacency adjacency() {
    return adjacency;
  }

  /** All links, in order. */
  public ImmutableList<DirectedLink> links() {
    return linksFrom.values().asList();
  }

  /** The network without a switch and its links. */
  public Topology without(DatapathId switchId) {
    return of(switches.stream().filter(other -> !other.equals(switchId)).toList(), links());
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Topology that
            && switches.equals(that.switches)
            && linksFrom.equals(that.linksFrom));
  }

  @Override
  public int hashCode() {
    return 31 * switches.hashCode() + linksFrom.hashCode();
  }

  @Override
  public String toString() {
    return switches.size() + " switches, " + linksFrom.size() + " directed links";
  }
}
