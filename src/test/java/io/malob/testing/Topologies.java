package io.malob.testing;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Topologies whose switches are 1, 2, 3, … and whose port to switch n is n. */
public final class Topologies {
  private Topologies() {}

  /** The link from one switch to another. */
  public static DirectedLink link(long src, long dst) {
    return new DirectedLink(
        DatapathId.of(src), OFPort.of((int) dst), DatapathId.of(dst), OFPort.of((int) src));
  }

  /** Switches 1 to n and these links, as pairs of switches, each in both directions. */
  public static Topology of(int switches, int[]... links) {
    List<DirectedLink> directed = new ArrayList<>();
    for (int[] link : links) {
      directed.add(link(link[0], link[1]));
      directed.add(link(link[1], link[0]));
    }
    return directed(switches, directed);
  }

  /** Switches 1 to n and these links. */
  public static Topology directed(int switches, List<DirectedLink> links) {
    return Topology.of(
        LongStream.rangeClosed(1, switches).mapToObj(DatapathId::of).toList(), links);
  }

  /** A path over these switches. */
  public static Path path(long... switches) {
    return new Path(
        DatapathId.of(switches[0]),
        IntStream.range(1, switches.length)
            .mapToObj(i -> link(switches[i - 1], switches[i]))
            .collect(ImmutableList.toImmutableList()));
  }
}
