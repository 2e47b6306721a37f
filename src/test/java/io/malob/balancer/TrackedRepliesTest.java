package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.RST;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.bucket.TrackedMark;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.Nat;
import io.malob.testing.FakeFlowTable.Counts;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** What comes from the service ports of a tracked VIP's members, over both versions of IP. */
class TrackedRepliesTest {
  private static final int PORT = 41_000;

  private ProactiveFixture fixture;

  private void setUp(String vip) {
    fixture = ProactiveFixture.tracked(vip);
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), fixture.net.network.refusals());
  }

  /** A client at the switch of the members, which has asked for the VIP. */
  private Host near() {
    Host near = fixture.host(3, 4, 3);
    fixture.net.learn(near);
    fixture.askForVip(near);
    fixture.pass(4);
    return near;
  }

  private Host client(boolean isNear) {
    return isNear ? near() : fixture.client;
  }

  /** What a member sends from its service port is none of the balancer's concern. */
  private void assertPassedOn(Host member, Host to, int port, int flags) {
    List<Packet> passedOn = fixture.net.passedOn;
    passedOn.clear();
    assertEquals(List.of(), fixture.reply(member, to, port, flags));
    assertEquals(1, passedOn.size());
    assertEquals(member.address(), passedOn.get(0).source());
    assertEquals(8_080, passedOn.get(0).srcPort());
    assertEquals(to.mac(), passedOn.get(0).dstMac());
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, false", "10.0.0.100, true", "fd00::64, false", "fd00::64, true"})
  void connectionsToAMember_areLeftAlone_besideThoseToTheVip(String vip, boolean isNear) {
    setUp(vip);
    Host client = client(isNear);
    Host member = fixture.open(client, 40_000);

    assertPassedOn(member, client, PORT, SYN_ACK);
    assertPassedOn(member, client, PORT, ACK);
    assertPassedOn(member, client, PORT, FIN);
    fixture.assertAnswered(member, client, 40_000, ACK);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, false", "10.0.0.100, true", "fd00::64, false", "fd00::64, true"})
  void repliesOfTheVip_areCountedOnce_andNoOthers(String vip, boolean isNear) {
    setUp(vip);
    Host client = client(isNear);
    Host member = fixture.open(client, 40_000);
    fixture.assertAnswered(member, client, 40_000, ACK);
    fixture.assertAnswered(member, client, 40_000, FIN);
    assertPassedOn(member, client, PORT, SYN_ACK);
    assertPassedOn(member, client, PORT, ACK);
    assertPassedOn(member, client, PORT, FIN);

    assertEquals(
        Map.of(Counted.ALL, 1L, Counted.OPENED, 1L, Counted.FINISHED, 1L, Counted.RESET, 0L),
        counts(fixture.number(member.equals(fixture.m1) ? "m1" : "m2")));
  }

  /** Switches remember ended connections for a while. */
  @ParameterizedTest
  @CsvSource({"10.0.0.100, false", "10.0.0.100, true", "fd00::64, false", "fd00::64, true"})
  void connectionToAMember_mayReuseThePortOfAnEndedOneToTheVip(String vip, boolean isNear) {
    setUp(vip);
    Host client = client(isNear);
    Host member = fixture.open(client, PORT);
    fixture.send(client, PORT, FIN);
    fixture.assertAnswered(member, client, PORT, FIN);
    fixture.send(client, PORT, ACK);

    inject(client, isNear, fixture.direct(client, PORT, member, SYN));

    assertPassedOn(member, client, PORT, SYN_ACK);
    assertPassedOn(member, client, PORT, ACK);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, false", "10.0.0.100, true", "fd00::64, false", "fd00::64, true"})
  void bothKindsOfConnections_mayReuseAPort_againAndAgain(String vip, boolean isNear) {
    setUp(vip);
    Host client = client(isNear);
    for (int round = 0; round < 3; round++) {
      for (Host member : List.of(fixture.m1, fixture.m2)) {
        inject(client, isNear, fixture.direct(client, PORT, member, SYN));
        assertPassedOn(member, client, PORT, SYN_ACK);
        inject(client, isNear, fixture.direct(client, PORT, member, FIN));
        assertPassedOn(member, client, PORT, FIN);
        inject(client, isNear, fixture.direct(client, PORT, member, ACK));
      }
      // a switch gives the next one another port, so there is one to the VIP in each round
      int port = PORT + 2 * round;
      Host member = fixture.open(client, port);
      fixture.send(client, port, FIN);
      fixture.assertAnswered(member, client, port, FIN);
      fixture.send(client, port, ACK);
      inject(client, isNear, fixture.direct(client, port, member, SYN));
      assertPassedOn(member, client, port, SYN_ACK);
      assertPassedOn(member, client, port, ACK);
    }
  }

  /** What others have forwarded to the member's switch comes in there. */
  private void inject(Host client, boolean isNear, byte[] frame) {
    fixture.net.network.inject(fixture.s3, isNear ? client.port() : 11, frame);
  }

  /** Its source may be forged. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void segmentToAMember_fromThePortOfAnOpenConnectionToTheVip_changesNothing(String vip) {
    setUp(vip);
    Host member = fixture.open(fixture.client, PORT);

    fixture.net.network.inject(fixture.s3, 11, fixture.direct(fixture.client, PORT, member, SYN));

    fixture.assertAnswered(member, fixture.client, PORT, ACK);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, false", "10.0.0.100, true", "fd00::64, false", "fd00::64, true"})
  void connectionToTheVip_mayReuseThePortOfOneToAMember(String vip, boolean isNear) {
    setUp(vip);
    Host client = client(isNear);
    for (Host member : List.of(fixture.m1, fixture.m2)) {
      inject(client, isNear, fixture.direct(client, PORT, member, SYN));
      assertPassedOn(member, client, PORT, RST);
    }

    Host member = fixture.open(client, PORT);

    fixture.assertAnswered(member, client, PORT, ACK);
    fixture.assertAnswered(member, client, PORT, FIN);
  }

  private Map<Counted, Long> counts(int memberNumber) {
    Map<Counted, Long> packets = new EnumMap<>(Counted.class);
    for (FakeRule rule : fixture.rules(fixture.s3, CookieKind.PROACTIVE)) {
      Optional<Counted> counted = ReplyRules.countedBy(rule.cookie());
      if (counted.isPresent() && Cookie.memberNumber(rule.cookie()) == memberNumber) {
        Counts counts = fixture.net.table(fixture.s3).countsOf(rule);
        packets.merge(counted.get(), counts.packets(), Long::sum);
      }
    }
    return packets;
  }

  /** The packets that have crossed a switch by labels. */
  private long crossed(DatapathId at) {
    return fixture.rules(at, CookieKind.LABEL).stream()
        .mapToLong(rule -> fixture.net.table(at).countsOf(rule).packets())
        .sum();
  }

  /** How many of the replies to all ports cross each of the two ways. */
  private List<Long> repliesByWay(Map<Integer, Host> members) {
    List<DatapathId> ways = List.of(fixture.s2, fixture.s4);
    List<Long> before = ways.stream().map(this::crossed).toList();
    members.forEach((port, member) -> fixture.assertAnswered(member, fixture.client, port, ACK));
    return IntStream.range(0, 2).mapToObj(way -> crossed(ways.get(way)) - before.get(way)).toList();
  }

  private Map<Integer, Host> openAll() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(fixture.client, port)));
    return members;
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void connections_takeEqualPathsOfReplies_inTurn(String vip) {
    setUp(vip);

    assertEquals(List.of(32L, 32L), repliesByWay(openAll()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void replies_takeThePathThatIsLeft_andBothWhenItIsBack(String vip) {
    setUp(vip);
    Map<Integer, Host> members = openAll();

    fixture.net.unlink(fixture.s3, 12);
    fixture.pass(3);
    assertEquals(List.of(64L, 0L), repliesByWay(members));

    fixture.net.link(fixture.s4, 12, fixture.s3, 12);
    fixture.pass(5);
    assertEquals(List.of(32L, 32L), repliesByWay(members));
  }

  @Test
  void bytesOfConnectionsThatTakeOrdinalsInTurn_areOnBothPaths() {
    setUp("10.0.0.100");
    int number = fixture.number("m1");
    Map<Integer, Host> members = new HashMap<>();
    for (int connection = 0; connection < 20; connection++) {
      int ordinal = 1 + connection % 2;
      byte[] syn = fixture.request(fixture.client, 50_000 + connection, SYN);
      fixture.net.network.send(fixture.s1, placing(syn, number, ordinal));
      members.put(50_000 + connection, fixture.m1);
    }

    assertEquals(List.of(10L, 10L), repliesByWay(members));
  }

  /** The answer to the first packet of a connection that the controller places. */
  private OFMessage placing(byte[] syn, int memberNumber, int ordinal) {
    OFFactory factory = BalancerNetwork.FACTORY;
    return factory
        .buildPacketOut()
        .setInPort(OFPort.of(fixture.client.port()))
        .setActions(
            List.of(
                ConntrackAction.inZone(factory, 7_777)
                    .commit()
                    .translate(Nat.destination(fixture.m1.address(), 8_080))
                    .setMark(TrackedMark.of(memberNumber, ordinal))
                    .continueIn(FlowLayout.REQUESTS)))
        .setData(syn)
        .build();
  }

  /** A gateway pair: requests come in at one switch, and members reply to the router at another. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void reply_toAnotherEdgeThanThatOfItsConnection_isTranslatedByTheController(String vip) {
    setUp(vip);
    Host near = near();
    int port = 40_000;
    Host member = fixture.open(fixture.client, port);

    // as if the client were behind a router at the member's switch
    List<Delivery> out =
        fixture.reply(
            member,
            new Host(near.switchId(), near.port(), near.mac(), fixture.client.address()),
            port,
            ACK);

    ProactiveFixture.assertReaches(near, out);
    assertEquals(fixture.vip, Packet.parse(out.get(0).frame()).source());
    assertTrue(fixture.net.passedOn.stream().noneMatch(each -> each.srcPort() == 8_080));
  }

  /** The other way round, the member's edge translates: it knows the connection. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void reply_toAnotherEdge_isTranslatedAtTheEdgeOfItsConnection(String vip) {
    setUp(vip);
    Host near = near();
    Host member = fixture.open(near, 40_000);

    List<Delivery> out =
        fixture.reply(
            member,
            new Host(
                fixture.client.switchId(),
                fixture.client.port(),
                fixture.client.mac(),
                near.address()),
            40_000,
            ACK);

    ProactiveFixture.assertReaches(fixture.client, out);
    assertEquals(fixture.vip, Packet.parse(out.get(0).frame()).source());
  }

  /** A switch in whose table rules of connections were remembered, and that has started again. */
  @Test
  void memberEdge_thatHasForgotten_knowsAgainWithTheNextRequest() {
    setUp("10.0.0.100");
    Host member = fixture.open(fixture.client, 40_000);
    fixture.net.table(fixture.s3).conntrack().clear();

    assertEquals(member, fixture.memberOf(fixture.client, 40_000, ACK));
    fixture.assertAnswered(member, fixture.client, 40_000, ACK);
  }

  @Test
  void reply_toAnUnknownNextHop_isDelivered_andTheNextWithoutTheController() {
    setUp("10.0.0.100");
    Host router = fixture.router(fixture.s1, 4);
    Host behind = fixture.behind(router, 1);
    Host member = fixture.open(behind, 40_000);
    fixture.pass(2);
    fixture.withoutController();

    fixture.assertAnswered(member, behind, 40_000, ACK);
  }

  @Test
  void requests_ofTheVip_areRemembered_whateverTheirFlags_andOthersNot() {
    setUp("10.0.0.100");
    fixture.open(fixture.client, 40_000);

    assertEquals(
        2,
        fixture.net.table(fixture.s3).rules(FlowLayout.LABELS.getValue()).stream()
            .filter(rule -> rule.priority() == FlowLayout.PRIORITY_REMEMBER)
            .mapToLong(rule -> fixture.net.table(fixture.s3).countsOf(rule).packets())
            .sum());
    assertEquals(1, fixture.net.table(fixture.s3).conntrack().connections().size());
    assertEquals(1, fixture.net.table(fixture.s1).conntrack().connections().size());
  }
}
