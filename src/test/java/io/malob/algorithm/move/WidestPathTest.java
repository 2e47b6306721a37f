package io.malob.algorithm.move;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class WidestPathTest {
  private static DirectedLink overSegment(int from, int to) {
    return new DirectedLink(DatapathId.of(from), OFPort.of(1), DatapathId.of(to), OFPort.of(1));
  }

  @Test
  void pathOverASegment_passesItOnce_whateverIsMeasured() {
    List<DirectedLink> links = new ArrayList<>();
    for (int from = 1; from <= 3; from++) {
      for (int to = 1; to <= 3; to++) {
        if (from != to) {
          links.add(overSegment(from, to));
        }
      }
    }
    DirectedLink direct = overSegment(1, 3);
    Topology topology =
        Topology.of(List.of(DatapathId.of(1), DatapathId.of(2), DatapathId.of(3)), links);
    assertEquals(
        Optional.of(new Path(direct.src(), ImmutableList.of(direct))),
        WidestPath.search(
            topology, direct.src(), direct.dst(), link -> link.equals(direct) ? 1 : 9));
  }
}
