package io.malob.controller.network.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class BroadcastTreeTest {

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void flooding_overRandomConnectedGraph_reachesEachSwitchOnce(long seed) {
    Random random = new Random(seed);
    int switches = 1 + random.nextInt(14);
    Topology topology = randomTopology(random, switches);
    BroadcastTree tree = treeOf(topology);
    for (DatapathId start : topology.switches()) {
      Map<DatapathId, Integer> copies = flood(topology, tree, start);
      assertEquals(switches, copies.size());
      assertTrue(copies.values().stream().allMatch(count -> count == 1), copies::toString);
    }
  }

  @Test
  void link_seenInOneDirection_isNotOnTheTree() {
    DatapathId one = DatapathId.of(1);
    DatapathId two = DatapathId.of(2);
    BroadcastTree tree =
        treeOf(
            Topology.of(
                List.of(one, two),
                List.of(new DirectedLink(one, OFPort.of(1), two, OFPort.of(1)))));
    assertTrue(tree.ports().isEmpty());
    assertFalse(tree.roots().get(one).equals(tree.roots().get(two)));
  }

  private static BroadcastTree treeOf(Topology topology) {
    return BroadcastTree.of(
        topology.switches(), Segments.of(Set.copyOf(topology.links()), Set.of()));
  }

  private static Topology randomTopology(Random random, int switches) {
    List<DirectedLink> links = new ArrayList<>();
    int[] ports = new int[switches + 1];
    for (int to = 2; to <= switches; to++) {
      join(links, ports, 1 + random.nextInt(to - 1), to);
    }
    for (int extra = random.nextInt(2 * switches); extra > 0; extra--) {
      join(links, ports, 1 + random.nextInt(switches), 1 + random.nextInt(switches));
    }
    return Topology.of(
        LongStream.rangeClosed(1, switches).mapToObj(DatapathId::of).toList(), links);
  }

  /** Also joins two switches twice, and a switch with itself. */
  private static void join(List<DirectedLink> links, int[] ports, int a, int b) {
    OFPort portA = OFPort.of(++ports[a]);
    OFPort portB = OFPort.of(++ports[b]);
    links.add(new DirectedLink(DatapathId.of(a), portA, DatapathId.of(b), portB));
    links.add(new DirectedLink(DatapathId.of(b), portB, DatapathId.of(a), portA));
  }

  private static Map<DatapathId, Integer> flood(
      Topology topology, BroadcastTree tree, DatapathId start) {
    Map<NodePortTuple, NodePortTuple> peers = new HashMap<>();
    topology
        .links()
        .forEach(
            link ->
                peers.put(
                    new NodePortTuple(link.src(), link.srcPort()),
                    new NodePortTuple(link.dst(), link.dstPort())));
    Map<DatapathId, Integer> copies = new HashMap<>();
    ArrayDeque<NodePortTuple> underWay = new ArrayDeque<>();
    underWay.add(new NodePortTuple(start, OFPort.of(1_000)));
    for (NodePortTuple at = underWay.poll(); at != null; at = underWay.poll()) {
      if (copies.merge(at.getNodeId(), 1, Integer::sum) > 5) {
        throw new AssertionError("storm");
      }
      for (OFPort out : tree.ports().get(at.getNodeId())) {
        if (!out.equals(at.getPortId())) {
          underWay.add(peers.get(new NodePortTuple(at.getNodeId(), out)));
        }
      }
    }
    return copies;
  }
}
