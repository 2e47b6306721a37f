package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.json.RejectedException;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.SegmentRule;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * OpenFlow switches that a legacy switch joins.
 *
 * <pre>
 *   1--s1 2--1 legacy 2--2 s2--1
 *             3|  |5--host
 *   1--s3 2----+
 * </pre>
 */
class LegacySegmentsTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final DatapathId LEGACY = DatapathId.of(100);
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  /** Of hosts at the legacy switch. */
  private static final int FREE_PORT = 5;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final List<DirectedLink> known = new ArrayList<>();
  private final Multiset<DatapathId> packetIns = HashMultiset.create();

  LegacySegmentsTest(SwitchProfile profile) {
    super(profile);
    net.network.setController(
        (switchId, port, output) -> {
          packetIns.add(switchId);
          net.packetIn(switchId, port, output);
        });
  }

  private static NodePortTuple port(DatapathId switchId, int port) {
    return new NodePortTuple(switchId, OFPort.of(port));
  }

  private void joinTwo() {
    net.segment(LEGACY, port(s1, 2), port(s2, 2));
  }

  private void joinThree() {
    net.segment(LEGACY, port(s1, 2), port(s2, 2), port(s3, 2));
  }

  private static Host host(DatapathId switchId, int number) {
    return Host.of(switchId, 1, "10.0.0." + number);
  }

  /** A host at the legacy switch counts as attached at the smallest port of the segment. */
  private Host onSegment(int number) {
    return Host.of(s1, 2, "10.0.0." + number);
  }

  private void serve(Host member, Host... clients) {
    net.learn(member);
    List.of(clients).forEach(net::learn);
    net.webService(member);
    if (member.port() == 2) {
      // it has asked for addresses before
      var unused = inject(member, Frames.arpRequest(member.mac(), member.ip(), member.ip()));
    }
    packetIns.clear();
  }

  private NodePortTuple placeOf(Host host) {
    return host.port() == 2 ? port(LEGACY, FREE_PORT) : port(host.switchId(), host.port());
  }

  private List<Delivery> inject(Host from, byte[] frame) {
    NodePortTuple at = placeOf(from);
    return net.network.inject(at.getNodeId(), at.getPortId().getPortNumber(), frame).stream()
        .filter(each -> !isForLegacySwitches(each))
        .toList();
  }

  /** Announcements and flooded labels reach the hosts of the segment, which take no notice. */
  private static boolean isForLegacySwitches(Delivery delivery) {
    Packet packet = Packet.parse(delivery.frame());
    return delivery.switchId().equals(LEGACY)
        && (packet.etherType() == SegmentRule.ETHERTYPE || Label.isLabel(packet.dstMac()));
  }

  private List<Delivery> request(Host client, int flags) {
    return request(client, 40_000, flags);
  }

  private List<Delivery> request(Host client, int clientPort, int flags) {
    MacAddress vipMac = EdgeMac.of(client.switchId());
    return inject(
        client, Frames.tcp(client.mac(), vipMac, client.ip(), clientPort, VIP, 80, flags));
  }

  private List<Delivery> reply(Host member, Host client, int flags) {
    MacAddress to =
        client.switchId().equals(member.switchId()) && client.port() == member.port()
            ? client.mac()
            : EdgeMac.of(member.switchId());
    byte[] frame = Frames.tcp(member.mac(), to, member.ip(), 8_080, client.ip(), 40_000, flags);
    return inject(member, frame);
  }

  /** One packet comes out, where the receiver is. */
  private void assertOnly(List<Delivery> deliveries, Host receiver, String of) {
    assertEquals(1, deliveries.size(), () -> of + " came out: " + deliveries);
    assertEquals(placeOf(receiver), deliveries.get(0).at(), of);
    assertEquals(receiver.mac(), Packet.parse(deliveries.get(0).frame()).dstMac(), of);
  }

  private void converse(Host client, Host member) {
    assertOnly(request(client, SYN), member, "SYN");
    assertOnly(reply(member, client, SYN | ACK), client, "SYN-ACK");
    for (int i = 0; i < 3; i++) {
      assertOnly(request(client, ACK), member, "request " + i);
      assertOnly(reply(member, client, ACK), client, "reply " + i);
    }
  }

  /** The legacy switch has seen each source at one port. */
  private void assertPlaces() {
    net.network
        .placesAt(LEGACY)
        .asMap()
        .forEach((mac, ports) -> assertEquals(1, ports.size(), mac + " was at " + ports));
  }

  private void assertNoFloods() {
    assertEquals(
        List.of(),
        net.network.floodedAt(LEGACY).stream().filter(Label::isLabel).toList(),
        "labels flooded");
  }

  @Test
  void twoSwitches_conversationInBothDirections_isNotFlooded() {
    joinTwo();
    Host client = host(s1, 1);
    Host member = host(s2, 11);
    serve(member, client);

    converse(client, member);

    assertPlaces();
    assertNoFloods();
    assertTrue(net.network.placesAt(LEGACY).keySet().stream().anyMatch(Label::isLabel));
  }

  @Test
  void threeSwitches_clientsAtTwo_haveEachSourceAtOnePort_andTheThirdSeesNothing() {
    joinThree();
    Host client = host(s1, 1);
    Host other = host(s3, 3);
    Host member = host(s2, 11);
    serve(member, client, other);

    converse(client, member);
    assertEquals(0, packetIns.count(s3), "at a switch that is not involved");
    converse(other, member);

    assertPlaces();
    assertNoFloods();
  }

  @Test
  void clientOnTheSegment_isServed_andEachSourceIsAtOnePort() {
    joinThree();
    Host client = onSegment(1);
    Host member = host(s2, 11);
    serve(member, client);

    converse(client, member);

    assertPlaces();
    assertNoFloods();
    assertEquals(0, packetIns.count(s3), "at a switch that is not involved");
  }

  @Test
  void memberOnTheSegment_isServed_andEachSourceIsAtOnePort() {
    joinThree();
    Host client = host(s2, 1);
    Host other = host(s3, 3);
    Host member = onSegment(11);
    serve(member, client, other);

    converse(client, member);
    converse(other, member);

    assertPlaces();
    assertNoFloods();
  }

  /** Tables of legacy switches last for five minutes. */
  @Test
  void labelInUse_andEdges_areAnnouncedInTime() {
    joinThree();
    Host client = onSegment(1);
    Host member = host(s2, 11);
    serve(member, client);
    converse(client, member);
    int before = net.network.placesAt(LEGACY).size();

    net.network.forgetAt(LEGACY);
    for (int second = 0; second < 61; second++) {
      net.pass(1);
    }
    assertOnly(request(client, ACK), member, "request");
    assertOnly(reply(member, client, ACK), client, "reply");

    assertEquals(before, net.network.placesAt(LEGACY).size(), "nothing new");
    assertFalse(net.network.floodedAt(LEGACY).stream().anyMatch(Label::isLabel));
    assertFalse(net.network.floodedAt(LEGACY).contains(EdgeMac.of(s1)), "the VIP's address");
  }

  @Test
  void floodedCopy_atAnUninvolvedSwitch_isDroppedThere() {
    joinThree();
    Host client = host(s1, 1);
    Host member = host(s2, 11);
    serve(member, client);
    converse(client, member);
    packetIns.clear();

    net.network.forgetAt(LEGACY);
    assertOnly(request(client, ACK), member, "request");
    assertOnly(reply(member, client, ACK), client, "reply");

    assertEquals(2, net.network.floodedAt(LEGACY).stream().filter(Label::isLabel).count());
    assertEquals(HashMultiset.create(), packetIns);
  }

  /** Its copies come back by the other port, and its rule would send them again. */
  @Test
  void floodedCopy_atAnotherPortOfASwitchOnThePath_isDroppedThere() {
    net.segment(LEGACY, port(s1, 2), port(s2, 2), port(s1, 3), port(s2, 3));
    Host client = host(s1, 1);
    Host member = host(s2, 11);
    serve(member, client);
    converse(client, member);
    for (int i = 0; i < 3; i++) {
      net.network.forgetAt(LEGACY);
      assertOnly(request(client, ACK), member, "request " + i);
      assertOnly(reply(member, client, ACK), client, "reply " + i);
    }
  }

  @Test
  void rules_comeWithTheSegment_surviveAReset_andGo() {
    assertEquals(List.of(), net.rules(s3, CookieKind.SEGMENT));
    joinThree();
    int wanted = net.rules(s3, CookieKind.SEGMENT).size();
    assertEquals(2, wanted);

    net.disconnect(s3);
    net.table(s3).clear();
    net.reconnect(s3);
    net.explore(s3);
    assertEquals(wanted, net.rules(s3, CookieKind.SEGMENT).size());

    net.unlink(s3, 2);
    assertEquals(List.of(), net.rules(s3, CookieKind.SEGMENT));
    // two ports are left: what comes in without a rule there is no copy
    assertEquals(1, net.rules(s1, CookieKind.SEGMENT).size());
  }

  @Test
  void rules_areKeptByAudits() {
    joinThree();
    Host client = host(s1, 1);
    Host member = host(s2, 11);
    serve(member, client);
    converse(client, member);
    Set<Object> before = new HashSet<>(net.rules(s2, CookieKind.SEGMENT));
    for (int i = 0; i < 100; i++) {
      net.pass(5);
    }
    assertEquals(before, new HashSet<>(net.rules(s2, CookieKind.SEGMENT)));
  }

  /** Some of their buckets lead back out of the port that they come in at. */
  @Test
  void clientOnTheSegment_ofAProactiveVip_isServedByEachMember() {
    joinThree();
    Host client = onSegment(1);
    Host other = host(s3, 3);
    List<Host> members = List.of(host(s1, 11), host(s2, 12));
    members.forEach(net::learn);
    List.of(client, other).forEach(net::learn);
    net.webService(members.get(0), members.get(1));
    net.change(Catalog.VIPS, "v", "placement", "proactive");
    for (int i = 0; i < 10; i++) {
      net.pass(1);
    }
    Set<NodePortTuple> reached = new HashSet<>();
    for (int i = 0; i < 64; i++) {
      for (Host each : List.of(client, other)) {
        List<Delivery> out = request(each, 40_000 + 2 * i, SYN);
        assertEquals(1, out.size(), () -> "came out: " + out);
        reached.add(out.get(0).at());
      }
    }
    assertEquals(Set.of(port(s1, 1), port(s2, 1)), reached);
    assertPlaces();
    assertNoFloods();
  }

  /** Measured values prefer the way over the third switch, which would send back out of a port. */
  @Test
  void path_usesEachPortOfTheSegmentOnce() throws RejectedException {
    joinThree();
    measure(s1, s2, 100_000_000);
    measure(s1, s3, 1_000_000);
    measure(s3, s2, 1_000_000);
    net.pass(1);
    Host client = host(s1, 1);
    Host member = host(s2, 11);
    serve(member, client);
    net.module.catalog().update(Catalog.SERVICES, "http", Fields.of("algorithm", "SL-PS"));
    converse(client, member);
    assertEquals(List.of(), net.rules(s3, CookieKind.LABEL));
    assertNoFloods();
  }

  private void measure(DatapathId a, DatapathId b, long latencyNanos) {
    DirectedLink there = new DirectedLink(a, OFPort.of(2), b, OFPort.of(2));
    known.add(there);
    known.add(there.reversed());
    net.linkTracker.setTopology(Topology.of(List.of(s1, s2, s3), known));
    net.linkTracker.latency(there, latencyNanos, net.nanoTime.get());
    net.linkTracker.latency(there.reversed(), latencyNanos, net.nanoTime.get());
  }
}
