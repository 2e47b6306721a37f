package io.malob.algorithm.graph;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The detours of a topology: two links, the second of which leaves a switch by the port where the
 * first came in, although a third one replaces both. There are some where more than two switches
 * share a segment, such as a legacy switch. A frame on a detour passes the segment twice, and
 * reaches its next switch twice. Measured values may prefer a detour all the same, by their noise:
 * {@link #lower} and {@link #raise} make the direct link at least as good, so that no search takes
 * the detour, which has more links. Immutable.
 */
final class SegmentDetours {
  /** A segment of a hundred switches has a million detours; the rest are not levelled. */
  private static final int MAX_DETOURS = 1_000_000;

  /** By detour: the first link, the second, and the direct one. */
  private final int[] detours;

  private record End(int switchNumber, OFPort port) {}

  /** Combines the values of two links to that of a path over both. */
  private interface Sum<A> {
    void improve(A values, int first, int second, int direct);
  }

  private SegmentDetours(int[] detours) {
    this.detours = detours;
  }

  /** The detours between these links. */
  static SegmentDetours of(Adjacency graph) {
    ListMultimap<End, Integer> in = ArrayListMultimap.create();
    ListMultimap<End, Integer> out = ArrayListMultimap.create();
    for (int link = 0; link < graph.linkCount(); link++) {
      out.put(new End(graph.source(link), graph.link(link).srcPort()), link);
      in.put(new End(graph.target(link), graph.link(link).dstPort()), link);
    }
    List<int[]> found = new ArrayList<>();
    // one middle after the other, so that levelling in this order needs one pass (R. W. Floyd,
    // Algorithm 97: Shortest path, 1962)
    for (End middle : in.keySet()) {
      List<Integer> leaving = out.get(middle);
      if (leaving.size() > 1) {
        for (int first : in.get(middle)) {
          for (int second : leaving) {
            DirectedLink direct = direct(graph.link(first), graph.link(second));
            if (graph.contains(direct) && found.size() < MAX_DETOURS) {
              found.add(new int[] {first, second, graph.number(direct)});
            }
          }
        }
      }
    }
    return new SegmentDetours(found.stream().flatMapToInt(Arrays::stream).toArray());
  }

  /** The link that would replace two. */
  static DirectedLink direct(DirectedLink first, DirectedLink second) {
    return new DirectedLink(first.src(), first.srcPort(), second.dst(), second.dstPort());
  }

  /** Lowers the costs of direct links to those of their detours. */
  void lower(long[] costs) {
    level(
        costs,
        (values, first, second, direct) ->
            values[direct] = Math.min(values[direct], values[first] + values[second]));
  }

  /** Raises the widths of direct links to those of their detours. */
  void raise(double[] widths) {
    level(
        widths,
        (values, first, second, direct) ->
            values[direct] = Math.max(values[direct], Math.min(values[first], values[second])));
  }

  private <A> void level(A values, Sum<A> sum) {
    for (int i = 0; i < detours.length; i += 3) {
      sum.improve(values, detours[i], detours[i + 1], detours[i + 2]);
    }
  }
}
