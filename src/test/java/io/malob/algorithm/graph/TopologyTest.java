package io.malob.algorithm.graph;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import io.malob.testing.Topologies;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class TopologyTest {
  private static final DatapathId S1 = DatapathId.of(1);

  @Test
  void of_linkToSwitchThatIsNotThere_leavesItOut() {
    Topology topology = Topologies.directed(2, List.of(link(1, 2), link(1, 3), link(3, 1)));
    assertEquals(List.of(link(1, 2)), topology.links());
  }

  @Test
  void of_linksInAnyOrder_isTheSameTopology() {
    Topology topology = Topologies.directed(3, List.of(link(1, 3), link(2, 1), link(1, 2)));
    assertEquals(topology, Topologies.directed(3, List.of(link(1, 2), link(1, 3), link(2, 1))));
    assertEquals(List.of(link(1, 2), link(1, 3)), topology.linksFrom(S1));
    assertEquals(List.of(), topology.linksFrom(DatapathId.of(3)));
  }

  @Test
  void equals_ofOtherSwitchesOrLinks_isFalse() {
    Topology topology = Topologies.of(2, new int[] {1, 2});
    assertNotEquals(topology, Topologies.of(3, new int[] {1, 2}));
    assertNotEquals(topology, Topologies.of(2));
    assertEquals(topology.hashCode(), Topologies.of(2, new int[] {1, 2}).hashCode());
  }

  @Test
  void path_ofLinksThatDoNotMeet_isRefused() {
    ImmutableList<DirectedLink> gap = ImmutableList.of(link(1, 2), link(3, 4));
    assertThrows(IllegalArgumentException.class, () -> new Path(S1, gap));
    ImmutableList<DirectedLink> wrongStart = ImmutableList.of(link(2, 3));
    assertThrows(IllegalArgumentException.class, () -> new Path(S1, wrongStart));
  }

  @Test
  void path_overSwitches_knowsItsEnds() {
    Path path = path(1, 2, 5);
    assertEquals(S1, path.src());
    assertEquals(DatapathId.of(5), path.dst());
    assertEquals(2, path.hops());
    assertEquals(path(1, 2, 5), path);
    assertEquals(path(1, 2, 5).hashCode(), path.hashCode());
    assertNotEquals(path(1, 3, 5), path);
    assertEquals(S1, Path.within(S1).dst());
    assertEquals(0, Path.within(S1).hops());
    assertNotEquals(Path.within(DatapathId.of(2)), Path.within(S1));
  }
}
