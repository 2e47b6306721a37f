package io.malob.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.openflow.ProbeRule;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.state.network.PortId;
import io.malob.testing.FakeNetwork;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A triangle with a node at port 9 of each switch; links are at ports 1 and 2.
 *
 * <pre>
 *   n1 - A1 ------- 2B - n2
 *         2\       /1
 *           1\   /2
 *              C - n3
 * </pre>
 */
class LinkPinsTest {
  private static final DatapathId A = DatapathId.of(1);
  private static final DatapathId B = DatapathId.of(2);
  private static final DatapathId C = DatapathId.of(3);
  private static final IPv4Address N1 = IPv4Address.of("10.0.0.1");
  private static final IPv4Address N2 = IPv4Address.of("10.0.0.2");

  /** As a signed number it would be the smallest. */
  private static final IPv4Address N3 = IPv4Address.of("200.0.0.3");

  private final AtomicLong nanoTime = new AtomicLong();
  private final FakeNetwork network = new FakeNetwork(nanoTime::get);
  private final List<DirectedLink> links = new ArrayList<>();
  private final Map<IPAddress<?>, PortId> places = new HashMap<>();
  private final LinkPins pins =
      new LinkPins(
          new RuleSender(id -> Optional.of(new Wire(id))),
          address -> Optional.ofNullable(places.get(address)),
          5201);
  private int sent;

  /** Whether switches take the rules, too. */
  private boolean installing = true;

  LinkPinsTest() {
    link(A, 1, B, 2);
    link(B, 1, C, 2);
    link(C, 1, A, 2);
    places.put(N1, new PortId(A, OFPort.of(9)));
    places.put(N2, new PortId(B, OFPort.of(9)));
    places.put(N3, new PortId(C, OFPort.of(9)));
  }

  @Test
  void probe_takesTheLinkBetweenItsNodes_inBothDirections() {
    update(false);
    assertEquals(List.of(at(B, 9)), send(A, 9, syn(N1, 40_000, N2, 5201)));
    assertEquals(List.of(at(A, 9)), send(B, 9, syn(N2, 5201, N1, 40_000)));
    assertEquals(List.of(at(C, 9)), send(A, 9, syn(N1, 40_000, N3, 5201)));
    assertEquals(List.of(at(A, 9)), send(C, 9, syn(N3, 5201, N1, 40_000)));
  }

  @Test
  void rules_areFourForEachPair_andTouchNothingElse() {
    update(false);
    assertEquals(4 * 3, rules());
    assertEquals(List.of(), send(A, 9, syn(N1, 40_000, N2, 80)));
    assertEquals(List.of(), send(B, 9, syn(N2, 40_000, N1, 5201)));
  }

  @Test
  void nodesOfDifferentFamilies_haveNoProbes() {
    IPAddress<?> other = IPAddress.of("2001:db8::1");
    places.put(other, new PortId(B, OFPort.of(8)));
    pins.update(List.of(N1, N2, N3, other), topology(), false);
    assertEquals(4 * 3, rules());
  }

  @Test
  void rules_thatAreThere_areSentAgainOnlyWhenAsked() {
    update(false);
    assertEquals(12, sent);
    update(false);
    assertEquals(12, sent);
    update(true);
    assertEquals(24, sent);
    assertEquals(12, rules());
  }

  @Test
  void rules_thatNobodySendsAgain_end() {
    update(false);
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(ProbeRule.LIFE_SECONDS));
    for (DatapathId id : List.of(A, B, C)) {
      network.table(id).expire();
    }
    assertEquals(0, rules());
  }

  @Test
  void agentThatHasGone_leavesNoRule() {
    update(false);
    pins.update(List.of(N1, N2), topology(), false);
    assertEquals(4, rules());
    pins.update(List.of(), topology(), false);
    assertEquals(0, rules());
  }

  @Test
  void linkThatHasGone_leavesNoRule_andTheOthersStay() {
    update(false);
    links.removeIf(link -> link.src().equals(A) && link.dst().equals(B));
    update(false);
    assertEquals(8, rules());
    assertEquals(List.of(), send(A, 9, syn(N1, 40_000, N2, 5201)));
    assertEquals(List.of(at(C, 9)), send(A, 9, syn(N1, 40_000, N3, 5201)));
  }

  @Test
  void nodeThatMoves_takesItsRulesAlong() {
    update(false);
    places.put(N2, new PortId(B, OFPort.of(8)));
    update(false);
    assertEquals(12, rules());
    assertEquals(List.of(at(B, 8)), send(A, 9, syn(N1, 40_000, N2, 5201)));
    places.put(N2, new PortId(A, OFPort.of(8)));
    update(false);
    assertEquals(2 * 4, rules());
    assertEquals(List.of(at(C, 9)), send(A, 8, syn(N2, 40_000, N3, 5201)));
  }

  @Test
  void linkThatMoves_takesItsRulesAlong() {
    update(false);
    links.removeIf(link -> link.src().equals(A) && link.dst().equals(B));
    links.removeIf(link -> link.src().equals(B) && link.dst().equals(A));
    network.cut(A, 1);
    link(A, 3, B, 4);
    update(false);
    assertEquals(12, rules());
    assertEquals(List.of(at(B, 9)), send(A, 9, syn(N1, 40_000, N2, 5201)));
    assertEquals(List.of(at(A, 9)), send(B, 9, syn(N2, 5201, N1, 40_000)));
  }

  @Test
  void switchesWithSeveralLinks_areLeftOut() {
    link(A, 3, B, 4);
    update(false);
    assertEquals(8, rules());
    assertEquals(List.of(), send(A, 9, syn(N1, 40_000, N2, 5201)));
  }

  @Test
  void nodeThatIsNotLocated_isLeftOut() {
    places.remove(N3);
    update(false);
    assertEquals(4, rules());
  }

  @Test
  void pairs_areBounded() {
    List<IPv4Address> many = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      IPv4Address address = IPv4Address.of(0x0a010000 + i);
      many.add(address);
      places.put(address, new PortId(i % 2 == 0 ? A : B, OFPort.of(10 + i)));
    }
    installing = false;
    pins.update(many, topology(), false);
    assertEquals(4 * LinkPins.MAX_PAIRS, sent);
  }

  private void update(boolean again) {
    pins.update(List.of(N1, N2, N3), topology(), again);
  }

  private Topology topology() {
    return Topology.of(List.of(A, B, C), links);
  }

  private void link(DatapathId a, int portA, DatapathId b, int portB) {
    network.connect(a, portA, b, portB);
    links.add(new DirectedLink(a, OFPort.of(portA), b, OFPort.of(portB)));
    links.add(new DirectedLink(b, OFPort.of(portB), a, OFPort.of(portA)));
  }

  private List<NodePortTuple> send(DatapathId switchId, int port, byte[] frame) {
    return network.inject(switchId, port, frame).stream()
        .map(FakeNetwork.Delivery::at)
        .filter(at -> !at.getPortId().equals(OFPort.CONTROLLER))
        .toList();
  }

  private static byte[] syn(IPv4Address src, int srcPort, IPv4Address dst, int dstPort) {
    return Frames.tcp(mac(src), mac(dst), src, srcPort, dst, dstPort, Packet.TCP_SYN);
  }

  private static MacAddress mac(IPv4Address host) {
    return MacAddress.of(0x02_00_00_00_00_00L | (host.getInt() & 0xff));
  }

  private static NodePortTuple at(DatapathId switchId, int port) {
    return new NodePortTuple(switchId, OFPort.of(port));
  }

  private int rules() {
    int count = 0;
    for (DatapathId id : List.of(A, B, C)) {
      List<FakeRule> found = network.table(id).rules(0);
      assertTrue(found.stream().allMatch(rule -> rule.priority() == 47_000));
      count += found.size();
    }
    return count;
  }

  /** Hands messages to the fake switch of that id. */
  private final class Wire implements RuleSender.SwitchConnection {
    private final DatapathId id;

    Wire(DatapathId id) {
      this.id = id;
    }

    @Override
    public OFFactory factory() {
      return PortAnswers.FACTORY;
    }

    @Override
    public boolean write(Iterable<OFMessage> messages) {
      for (OFMessage message : messages) {
        sent++;
        if (installing) {
          network.send(id, message);
        }
      }
      return true;
    }

    @Override
    public ListenableFuture<?> barrier() {
      throw new AssertionError("not expected here");
    }
  }
}
