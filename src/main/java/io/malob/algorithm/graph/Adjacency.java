package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The switches and links of a topology by number, in arrays: a search over thousands of links
 * spends its time on comparisons, not on look-ups. The links that leave a switch follow one
 * another. The arrays are never modified; thread-safe.
 */
final class Adjacency {
  private final Map<DatapathId, Integer> numbers = new HashMap<>();
  private final Map<DirectedLink, Integer> linkNumbers = new HashMap<>();
  private final DirectedLink[] links;
  private final int[] firstLinks;
  private final int[] sources;
  private final int[] targets;

  /** The numbers of the links by the switch that they reach. */
  private final int[] incoming;

  private final int[] firstIncoming;

  /** Found when it is needed; null before. */
  private volatile @Nullable SegmentDetours detours;

  /**
   * The arrays of a topology.
   *
   * @param sorted the switches, in order
   * @param sortedLinks links between them, in order
   */
  Adjacency(ImmutableSortedSet<DatapathId> sorted, ImmutableCollection<DirectedLink> sortedLinks) {
    links = sortedLinks.toArray(new DirectedLink[0]);
    sorted.forEach(switchId -> numbers.put(switchId, numbers.size()));
    for (int i = 0; i < links.length; i++) {
      linkNumbers.put(links[i], i);
    }
    sources = Arrays.stream(links).mapToInt(link -> number(link.src())).toArray();
    targets = Arrays.stream(links).mapToInt(link -> number(link.dst())).toArray();
    firstLinks = firsts(sources);
    firstIncoming = firsts(targets);
    incoming =
        IntStream.range(0, links.length)
            .boxed()
            .sorted(Comparator.comparing(link -> targets[link]))
            .mapToInt(Integer::intValue)
            .toArray();
  }

  /** By switch: where it is first among these, sorted; at the end, how many these are. */
  private int[] firsts(int[] switchNumbers) {
    int[] firsts = new int[numbers.size() + 1];
    for (int number : switchNumbers) {
      firsts[number + 1]++;
    }
    for (int i = 0; i < numbers.size(); i++) {
      firsts[i + 1] += firsts[i];
    }
    return firsts;
  }

  /** How many switches there are; they have the numbers below that. */
  int switchCount() {
    return numbers.size();
  }

  /** How many links there are; they have the numbers below that, in the order of the topology. */
  int linkCount() {
    return links.length;
  }

  /** Whether another topology has the same switches; then they have the same numbers. */
  boolean hasSwitchesOf(Adjacency other) {
    return numbers.equals(other.numbers);
  }

  /** The number of a switch, or -1 if it is missing. */
  int number(DatapathId switchId) {
    return numbers.getOrDefault(switchId, -1);
  }

  /** The number of a link. */
  int number(DirectedLink link) {
    @Nullable Integer number = linkNumbers.get(link);
    if (number == null) {
      throw new IllegalArgumentException(link + " is not in the topology");
    }
    return number;
  }

  /** Where several switches share a segment. */
  SegmentDetours detours() {
    @Nullable SegmentDetours known = detours;
    if (known == null) {
      known = SegmentDetours.of(this);
      detours = known;
    }
    return known;
  }

  /** Whether a path over two links leaves the switch between by the port where it came in. */
  boolean isDetour(int first, int second) {
    return sources[first] != targets[second]
        && links[first].dstPort().equals(links[second].srcPort())
        && contains(SegmentDetours.direct(links[first], links[second]));
  }

  boolean contains(DirectedLink link) {
    return linkNumbers.containsKey(link);
  }

  DirectedLink link(int number) {
    return links[number];
  }

  /** The number of the first link that leaves a switch; the last is before that of the next. */
  int firstLink(int switchNumber) {
    return firstLinks[switchNumber];
  }

  /**
   * Where the links of a switch begin, among those that leave switches or those that reach them;
   * they end with the next's.
   */
  int first(boolean isIncoming, int switchNumber) {
    return isIncoming ? firstIncoming[switchNumber] : firstLinks[switchNumber];
  }

  /** The number of the link at a place of these. */
  int at(boolean isIncoming, int place) {
    return isIncoming ? incoming[place] : place;
  }

  int source(int link) {
    return sources[link];
  }

  int target(int link) {
    return targets[link];
  }
}
