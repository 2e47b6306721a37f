package io.malob.openflow.label;

import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.openflow.FoundRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class FoundLabelsTest {
  private static final Label LABEL = new Label(7);
  private static final Path PATH = path(1, 2, 3);
  private static final DatapathId FIRST = DatapathId.of(1);
  private static final Topology NETWORK = topology(PATH, path(3, 2, 1));

  private final FoundLabels found = new FoundLabels();

  private static Topology topology(Path... paths) {
    List<DirectedLink> links = new ArrayList<>();
    for (Path path : paths) {
      links.addAll(path.links());
    }
    return Topology.of(PATH.switches(), links);
  }

  private void add(DatapathId switchId) {
    Optional<OFPort> out = PATH.outOf(switchId);
    found.add(switchId, new FoundRule.Hop(LABEL, out));
  }

  @Test
  void pieces_inAnyOrderMakeThePath() {
    add(DatapathId.of(3));
    add(DatapathId.of(1));
    assertEquals(Optional.empty(), found.path(LABEL, FIRST, NETWORK));

    add(DatapathId.of(2));

    assertEquals(Optional.of(PATH), found.path(LABEL, FIRST, NETWORK));
  }

  @Test
  void pathOverALinkThatIsNotThere_isNotKnown() {
    PATH.switches().forEach(this::add);
    Topology without = Topology.of(PATH.switches(), PATH.links().subList(0, 1));
    assertEquals(Optional.empty(), found.path(LABEL, FIRST, without));
    Topology withoutSwitch = Topology.of(PATH.switches().subList(0, 2), PATH.links().subList(0, 1));
    assertEquals(Optional.empty(), found.path(LABEL, FIRST, withoutSwitch));
  }

  @Test
  void piecesInACircle_areNoPath() {
    add(DatapathId.of(1));
    OFPort back = path(2, 1).links().get(0).srcPort();
    found.add(DatapathId.of(2), new FoundRule.Hop(LABEL, Optional.of(back)));

    assertEquals(Optional.empty(), found.path(LABEL, FIRST, NETWORK));
  }

  @Test
  void pathThatLeavesASwitchByThePortOfItsArrival_isRecognized() {
    DatapathId second = DatapathId.of(2);
    DatapathId third = DatapathId.of(3);
    OFPort shared = OFPort.of(9);
    List<DirectedLink> links = new ArrayList<>();
    links.add(new DirectedLink(FIRST, shared, second, shared));
    links.add(new DirectedLink(second, shared, FIRST, shared));
    links.add(new DirectedLink(second, shared, third, shared));
    Path path = new Path(FIRST, ImmutableList.of(links.get(0), links.get(2)));
    assertEquals(Optional.of(OFPort.IN_PORT), path.outOf(second));
    for (DatapathId each : path.switches()) {
      found.add(each, new FoundRule.Hop(LABEL, path.outOf(each)));
    }

    assertEquals(Optional.of(path), found.path(LABEL, FIRST, Topology.of(path.switches(), links)));
  }

  @Test
  void remove_tellsWhereTheRulesAre() {
    add(DatapathId.of(1));
    add(DatapathId.of(3));

    assertEquals(Set.of(DatapathId.of(1), DatapathId.of(3)), found.remove(LABEL));

    assertFalse(found.contains(LABEL));
    assertEquals(Set.of(), found.remove(LABEL));
  }
}
