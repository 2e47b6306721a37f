package io.malob.algorithm.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.SharedSegments.Port;
import io.malob.algorithm.graph.SharedSegments.Segment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class SharedSegmentsTest {
  private final List<DirectedLink> links = new ArrayList<>();
  private final Set<DirectedLink> external = new HashSet<>();

  private static Port port(int switchId, int port) {
    return new Port(DatapathId.of(switchId), OFPort.of(port));
  }

  private static DirectedLink link(Port a, Port b) {
    return new DirectedLink(a.switchId(), a.port(), b.switchId(), b.port());
  }

  private void cable(Port a, Port b) {
    links.add(link(a, b));
    links.add(link(b, a));
  }

  private void join(Port... ports) {
    for (Port a : ports) {
      for (Port b : ports) {
        if (!a.switchId().equals(b.switchId())) {
          links.add(link(a, b));
          external.add(link(a, b));
        }
      }
    }
  }

  private SharedSegments segments() {
    return SharedSegments.of(links, external::contains);
  }

  private static Path path(DirectedLink... over) {
    return new Path(over[0].src(), ImmutableList.copyOf(over));
  }

  @Test
  void cables_areNoSegments() {
    cable(port(1, 1), port(2, 1));
    assertTrue(segments().isEmpty());
    assertEquals(0, segments().entry(path(link(port(1, 1), port(2, 1)))));
  }

  @Test
  void portsThatHearEachOther_areOneSegment_sorted() {
    join(port(2, 5), port(1, 7), port(3, 1));
    cable(port(1, 1), port(2, 1));
    assertEquals(
        Set.of(new Segment(ImmutableList.of(port(1, 7), port(2, 5), port(3, 1)))),
        segments().all());
  }

  /** Real Floodlight may not tell what a link goes through; a cable has two ends, though. */
  @Test
  void portWithSeveralPeers_isOnASegment_whateverIsKnownOfItsLinks() {
    join(port(1, 7), port(2, 5), port(3, 1));
    external.clear();
    assertEquals(1, segments().all().size());
  }

  @Test
  void entry_isTheRankOfThePort_andSumsAreForSeveralSegments() {
    join(port(1, 1), port(2, 1), port(3, 1));
    join(port(3, 2), port(4, 1));
    cable(port(4, 2), port(5, 1));
    SharedSegments segments = segments();
    assertEquals(1, segments.entry(path(link(port(1, 1), port(3, 1)))));
    assertEquals(2, segments.entry(path(link(port(2, 1), port(3, 1)))));
    assertEquals(3, segments.entry(path(link(port(3, 1), port(1, 1)))));
    Path far =
        path(
            link(port(2, 1), port(3, 1)),
            link(port(3, 2), port(4, 1)),
            link(port(4, 2), port(5, 1)));
    assertEquals(2, segments.entry(far));
    assertEquals(List.of(port(3, 1), port(4, 1)), segments.exits(far));
    Path back = path(link(port(4, 1), port(3, 2)), link(port(3, 1), port(1, 1)));
    assertEquals(2 + 2, segments.entry(back));
  }

  @Test
  void strayPorts_areThoseOnCrossedSegments_ofSwitchesOnThePath() {
    join(port(1, 1), port(1, 2), port(2, 1), port(3, 1), port(4, 1));
    cable(port(2, 2), port(3, 2));
    Path path = path(link(port(1, 1), port(2, 1)), link(port(2, 2), port(3, 2)));
    assertEquals(List.of(port(1, 2), port(3, 1)), segments().strayPorts(path));
  }
}
