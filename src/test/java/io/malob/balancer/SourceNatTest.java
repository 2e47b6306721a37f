package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static io.malob.balancer.ProactiveFixture.assertReaches;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProactiveStats.Problem.Kind;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Catalog;
import io.malob.state.network.Prefix;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Members that see an address of the client's switch, over both versions of IP. */
class SourceNatTest {
  private static final Map<String, String> ADDRESSES =
      Map.of(
          "sourceAddresses",
          "10.0.0.200/24,10.0.0.201/24,10.0.0.202/24,fd00::c8/64,fd00::c9/64,fd00::ca/64");

  private BalancerNetwork net;
  private ProactiveFixture fixture;

  private void setUp(String vip, Map<String, String> settings) {
    net = new BalancerNetwork(SwitchProfile.OPEN_VSWITCH, settings);
    take(bySharesOf(IPAddress.of(vip)));
  }

  /** Buckets place connections. */
  private ProactiveFixture bySharesOf(IPAddress<?> vip) {
    return new ProactiveFixture(net, vip, true, "placement", "tracked", "auto_per_second", "0");
  }

  /** The network has learned the hosts; the pool gets its only member. */
  private void take(ProactiveFixture now) {
    fixture = now;
    net = now.net;
    net.delete(Catalog.MEMBERS, "m2");
    fixture.askForVip(fixture.m1);
    fixture.settle();
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  /** What reaches the member of a segment to the VIP. */
  private Packet seen(Host client, int srcPort, int flags) {
    List<Delivery> out = fixture.send(client, srcPort, flags);
    assertReaches(fixture.m1, out);
    Packet packet = Packet.parse(out.get(0).frame());
    assertEquals(fixture.m1.address(), packet.destination());
    assertEquals(8_080, packet.dstPort());
    return packet;
  }

  private List<Delivery> answer(Packet request, int flags) {
    Host member = fixture.m1;
    return net.send(
        member,
        request.source() instanceof IPv4Address source
            ? Frames.tcp(
                member.mac(),
                EdgeMac.of(member.switchId()),
                member.ip(),
                8_080,
                source,
                request.srcPort(),
                flags)
            : new Ipv6Frames(
                    member.mac(),
                    EdgeMac.of(member.switchId()),
                    (IPv6Address) member.address(),
                    (IPv6Address) request.source())
                .tcp(8_080, request.srcPort(), flags));
  }

  private void assertAnswered(Host client, int srcPort, Packet request, int flags) {
    List<Delivery> out = answer(request, flags);
    assertReaches(client, out);
    Packet packet = Packet.parse(out.get(0).frame());
    assertEquals(fixture.vip, packet.source());
    assertEquals(80, packet.srcPort());
    assertEquals(client.address(), packet.destination());
    assertEquals(srcPort, packet.dstPort());
  }

  /** Opens a connection; the source address that the member sees. */
  private IPAddress<?> open(Host client, int srcPort) {
    Packet syn = seen(client, srcPort, SYN);
    assertTrue(ADDRESSES.get("sourceAddresses").contains(syn.source() + "/"), syn.toString());
    assertTrue(syn.srcPort() >= 1_024, syn.toString());
    assertAnswered(client, srcPort, syn, SYN_ACK);
    Packet ack = seen(client, srcPort, ACK);
    assertEquals(syn.source(), ack.source());
    assertEquals(syn.srcPort(), ack.srcPort());
    assertAnswered(client, srcPort, ack, ACK);
    return syn.source();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void onlyMember_reachesItself(String vip) {
    setUp(vip, ADDRESSES);
    fixture.withoutController();

    open(fixture.m1, 40_000);
    open(fixture.m1, 40_001);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void clientsOfAnotherSwitch_haveItsAddress(String vip) {
    setUp(vip, ADDRESSES);
    fixture.withoutController();

    IPAddress<?> ofFirst = open(fixture.client, 40_000);

    assertEquals(ofFirst, open(fixture.other, 40_000));
    assertNotEquals(ofFirst, open(fixture.m1, 40_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connections_goOnUnderTheNextController(String vip) {
    setUp(vip, ADDRESSES);
    Host client = fixture.client;
    IPAddress<?> before = open(client, 40_000);
    IPAddress<?> ofMember = open(fixture.m1, 40_000);
    Packet last = seen(client, 40_000, ACK);

    net = net.restarted(ADDRESSES);
    take(bySharesOf(fixture.vip));
    fixture.pass(70);

    assertEquals(last.srcPort(), seen(client, 40_000, ACK).srcPort());
    assertAnswered(client, 40_000, last, ACK);
    assertEquals(before, open(client, 40_002));
    assertEquals(ofMember, open(fixture.m1, 40_002));
  }

  @Test
  void memberBehindARouter_answersByAnyRoute() throws Exception {
    setUp("10.0.0.100", ADDRESSES);
    Host router = fixture.router(fixture.s3, 4);
    Host otherRouter = Host.of(fixture.s2, 4, "10.0.0.5");
    net.learn(otherRouter);
    net.module.routes().set(Prefix.parse("10.2.0.0", "16").orElseThrow(), router.ip());
    Host behind = new Host(fixture.s3, 4, router.mac(), IPv4Address.of("10.2.0.5"));
    fixture.addMember("m3", behind);
    net.delete(Catalog.MEMBERS, "m1");
    fixture.pass(4);
    Packet syn = Packet.parse(fixture.send(fixture.client, 40_000, SYN).get(0).frame());
    assertEquals(behind.address(), syn.destination());
    assertEquals(router.mac(), syn.dstMac());
    IPv4Address source = (IPv4Address) syn.source();
    net.send(otherRouter, Frames.arpRequest(otherRouter.mac(), otherRouter.ip(), source));
    fixture.pass(1);
    fixture.withoutController();

    for (Host by : List.of(router, otherRouter)) {
      byte[] reply =
          Frames.tcp(
              by.mac(),
              EdgeMac.of(by.switchId()),
              behind.ip(),
              8_080,
              source,
              syn.srcPort(),
              SYN_ACK);
      List<Delivery> out = net.send(by, reply);
      assertReaches(fixture.client, out);
      assertEquals(fixture.vip, Packet.parse(out.get(0).frame()).source());
    }
  }

  @Test
  void switchForWhichNoAddressIsLeft_isReactive() {
    setUp("10.0.0.100", Map.of("sourceAddresses", "10.0.0.200/24,10.1.0.200/24"));

    List<ProactiveStats.Edge> edges = fixture.stats().edges();

    List<ProactiveStats.Edge> without =
        edges.stream().filter(edge -> edge.problem().isPresent()).toList();
    assertEquals(1, without.size());
    assertEquals(Kind.NO_SOURCE_ADDRESS, without.get(0).problem().orElseThrow().kind());
    assertEquals(ProactiveStats.State.REACTIVE, without.get(0).state());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void questionsForSourceAddresses_areAnswered(String vip) {
    setUp(vip, ADDRESSES);
    IPAddress<?> source = seen(fixture.client, 40_000, SYN).source();

    List<Delivery> out =
        net.send(
            fixture.m1,
            source instanceof IPv6Address address
                ? new Ipv6Frames(
                        fixture.m1.mac(),
                        MacAddress.BROADCAST,
                        (IPv6Address) fixture.m1.address(),
                        address)
                    .solicitation(address)
                : Frames.arpRequest(fixture.m1.mac(), fixture.m1.ip(), (IPv4Address) source));

    assertReaches(fixture.m1, out);
    NeighbourMessage answer = NeighbourMessage.of(Packet.parse(out.get(0).frame())).orElseThrow();
    assertEquals(source, answer.claimed());
  }

  /** It has asked for the VIP's MAC address before the VIP was there. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void unknownNextHop_getsItsFirstReplyByTheController(String vip) {
    setUp(vip, ADDRESSES);
    Host late = fixture.router(fixture.s1, 4);

    open(late, 40_000);

    fixture.pass(1);
    fixture.withoutController();
    open(late, 40_001);
  }

  /** Its clients know the VIP's MAC address still, and do not ask again. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void vipOfWhichNoNextHopIsKnown_isServed(String vip) {
    net = new BalancerNetwork(SwitchProfile.OPEN_VSWITCH, ADDRESSES);
    fixture = bySharesOf(IPAddress.of(vip));
    net.delete(Catalog.MEMBERS, "m2");
    fixture.pass(4);

    open(fixture.client, 40_000);
    open(fixture.m1, 40_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connectionForWhichNoPortIsLeft_isReset(String vip) {
    setUp(vip, ADDRESSES);
    Packet before = seen(fixture.client, 40_000, SYN);
    net.table(fixture.s1).conntrack().exhaustPorts();

    List<Delivery> out = fixture.send(fixture.client, 40_001, SYN);

    assertReaches(fixture.client, out);
    fixture.assertReset(out);
    assertEquals(fixture.vip, Packet.parse(out.get(0).frame()).source());
    assertEquals(1, net.refused(RejectReason.NO_SOURCE_PORT));
    assertAnswered(fixture.client, 40_000, before, SYN_ACK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void memberThatTheControllerHasChosen_seesNoClients(String vip) {
    setUp(vip, ADDRESSES);
    fixture.setVip("auto_per_second", "1000");
    fixture.pass(40);

    Packet ofMember = seen(fixture.m1, 40_000, SYN);
    Packet ofClient = seen(fixture.client, 40_000, SYN);
    fixture.withoutController();

    assertAnswered(fixture.m1, 40_000, ofMember, SYN_ACK);
    assertAnswered(fixture.client, 40_000, ofClient, SYN_ACK);
    assertEquals(ofMember.source(), seen(fixture.m1, 40_000, ACK).source());
    assertEquals(ofClient.source(), seen(fixture.client, 40_000, ACK).source());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void endsOfConnections_areCounted_alsoOfTheMembersOwn(String vip) {
    setUp(vip, ADDRESSES);
    fixture.setVip("auto_per_second", "1000", "connection_limit", "2");
    fixture.pass(40);
    for (int port : new int[] {40_000, 41_000}) {
      open(fixture.m1, port);
      open(fixture.client, port);
      fixture.assertReset(fixture.send(fixture.client, port + 1, SYN));

      for (Host each : List.of(fixture.m1, fixture.client)) {
        assertAnswered(each, port, seen(each, port, ACK), FIN);
      }
      fixture.pass(4);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void errorsAboutPackets_quoteWhatTheMemberHasSent(String vip) {
    setUp(vip, ADDRESSES);
    for (Host client : List.of(fixture.client, fixture.m1)) {
      Packet syn = seen(client, 40_000, SYN);
      byte[] reply = answer(syn, SYN_ACK).get(0).frame();
      fixture.withoutController();

      List<Delivery> out = net.send(client, Replies.portUnreachable(Packet.parse(reply)));

      assertReaches(fixture.m1, out);
      Packet error = Packet.parse(out.get(0).frame());
      assertEquals(fixture.m1.address(), error.destination());
      QuotedPacket quoted = QuotedPacket.of(error).orElseThrow();
      assertEquals(fixture.m1.address(), quoted.source());
      assertEquals(8_080, quoted.srcPort());
      assertEquals(syn.source(), quoted.destination());
      assertEquals(syn.srcPort(), quoted.dstPort());
    }
  }

  @Test
  void autoPlacement_mayHaveIt_andReactiveNot() {
    setUp("10.0.0.100", ADDRESSES);
    fixture.setVip("placement", "auto");
    fixture.pass(2);

    open(fixture.m1, 40_000);

    assertThrows(IllegalArgumentException.class, () -> fixture.setVip("placement", "reactive"));
  }

  @Test
  void pool_needsTrackedPlacement() {
    setUp("10.0.0.100", ADDRESSES);

    assertThrows(IllegalArgumentException.class, () -> fixture.setVip("placement", "proactive"));
  }
}
