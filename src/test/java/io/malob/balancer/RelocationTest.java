package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.api.PathStats;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.HostRules;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Clients and members that move to another switch or port: their connections go on there.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member (m1)
 *                        3,4      3,4
 * </pre>
 */
class RelocationTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN | Packet.TCP_ACK;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host clientAtS2 = at(client, s2, 4);
  private final Host clientAtOtherPort = at(client, s1, 3);
  private final Host member = Host.of(s3, 2, "10.0.0.11");
  private final Host memberAtS2 = at(member, s2, 3);

  RelocationTest(SwitchProfile profile) {
    super(profile);
  }

  private static Host at(Host host, DatapathId switchId, int port) {
    return new Host(switchId, port, host.mac(), host.ip());
  }

  @BeforeEach
  void openOneConnection() {
    net.link(s1, 2, s2, 1);
    net.link(s2, 2, s3, 1);
    net.learn(client);
    net.learn(member);
    net.webService(member);
    only(fromClient(client, SYN), member);
    only(fromClient(client, ACK), member);
    only(fromMember(member), client);
    later();
  }

  private void later() {
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(2));
  }

  private List<Delivery> fromClient(Host place, int flags) {
    return net.send(
        place,
        Frames.tcp(place.mac(), EdgeMac.of(place.switchId()), client.ip(), 40_000, VIP, 80, flags));
  }

  private List<Delivery> fromMember(Host place) {
    return net.send(
        place, Frames.tcp(place.mac(), client.mac(), member.ip(), 8_080, client.ip(), 40_000, ACK));
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(receiver.mac(), packet.dstMac());
    return packet;
  }

  private List<FakeRule> hostRules(DatapathId switchId, Host host) {
    return net.rules(switchId, CookieKind.HOST).stream()
        .filter(rule -> NextHopMac.of(host.mac(), 0).equals(HostRules.nextHop(rule.match())))
        .toList();
  }

  /** Packets of both directions go by the rules alone, and the connection counts once. */
  private void assertGoesOn(Host clientPlace, Host memberPlace) {
    net.network.setController(
        (switchId, port, output) -> fail(switchId + " missed in table " + output.table()));
    assertEquals(
        member.ip().getInt(), only(fromClient(clientPlace, ACK), memberPlace).dstAddress());
    assertEquals(VIP.getInt(), only(fromMember(memberPlace), clientPlace).srcAddress());
    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(1, net.stats("m1").totalConnections());
    assertEquals(1, net.module.counters().openConnections());
    int onPaths = net.module.paths().stream().mapToInt(PathStats::connections).sum();
    assertEquals(clientPlace.switchId().equals(memberPlace.switchId()) ? 0 : 2, onPaths);
  }

  private void tick() {
    net.passMillis(Relocations.TICK_MILLIS);
  }

  @Test
  void clientThatSendsFromAnotherSwitch_goesOnThere_andLeavesNoRuleBehind() {
    only(fromClient(clientAtS2, ACK), member);

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertEquals(List.of(), hostRules(s1, client));
    assertGoesOn(clientAtS2, member);
  }

  @Test
  void clientThatMovesAndIsSilent_getsWhatItsMemberSends() {
    net.learn(clientAtS2);
    tick();

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertGoesOn(clientAtS2, member);
  }

  @Test
  void clientThatMovesToAnotherPort_goesOnThere() {
    only(fromClient(clientAtOtherPort, ACK), member);
    later();
    only(fromClient(clientAtOtherPort, ACK), member);

    net.learn(clientAtOtherPort);
    tick();

    assertGoesOn(clientAtOtherPort, member);
    assertTrue(
        hostRules(s1, client).stream()
            .noneMatch(
                rule ->
                    rule.match().get(MatchField.IN_PORT) != null
                        && rule.match().get(MatchField.IN_PORT).getPortNumber() == 1),
        "packets that come in by the old port are not the client's own");
  }

  @Test
  void clientThatMovesNextToItsMember_goesOnThere() {
    Host next = at(client, s3, 4);
    only(fromClient(next, ACK), member);

    assertGoesOn(next, member);
  }

  @Test
  void clientThatMovesBack_goesOnThere() {
    only(fromClient(clientAtS2, ACK), member);
    later();
    only(fromClient(client, ACK), member);

    assertEquals(List.of(), net.rules(s2, CookieKind.REQUEST));
    assertGoesOn(client, member);
  }

  @Test
  void clientThatSendsFromTwoPlacesInTurn_isFollowedOnceASecond() {
    only(fromClient(clientAtS2, ACK), member);
    only(fromClient(client, ACK), member);

    assertEquals(1, net.rules(s2, CookieKind.REQUEST).size());
    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
  }

  @Test
  void connectionThatSleeps_isOpenedWhereItsClientIsNow() {
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));

    only(fromClient(clientAtS2, ACK), member);

    assertGoesOn(clientAtS2, member);
  }

  @Test
  void connectionThatSleeps_isOpenedByItsMemberWhereItsClientIsNow() {
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.timeOut(s3, net.rules(s3, CookieKind.REPLY).get(0));
    net.learn(clientAtS2);
    tick();
    assertEquals(0, net.stats("m1").activeConnections());

    only(fromMember(member), clientAtS2);

    assertGoesOn(clientAtS2, member);
  }

  @Test
  void memberThatMoves_getsItsConnections_andLeavesNoRuleBehind() {
    net.learn(memberAtS2);
    tick();

    assertEquals(List.of(), net.rules(s3, CookieKind.REPLY));
    assertEquals(List.of(), hostRules(s3, member));
    assertGoesOn(client, memberAtS2);
  }

  @Test
  void memberThatMoves_getsItsConnectionWithTheNextPacket_beforeItsTurnComes() {
    net.learn(memberAtS2);
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));

    only(fromClient(client, ACK), memberAtS2);

    assertGoesOn(client, memberAtS2);
  }

  @Test
  void memberThatGoesAndComesBackElsewhere_getsItsConnections() {
    tick();
    net.forget(member);
    tick();
    net.learn(memberAtS2);
    tick();

    assertGoesOn(client, memberAtS2);
  }

  @Test
  void memberWithFtpSessions_isFollowedByTheRuleForTheirData() {
    Host ftp = Host.of(s3, 3, "10.0.0.12");
    net.learn(ftp);
    net.create(Catalog.VIPS, "id", "f", "address", "10.0.0.101");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "f");
    net.create(Catalog.MEMBERS, "id", "f1", "address", "10.0.0.12", "pool_id", "q");
    IPv4Address vip = IPv4Address.of("10.0.0.101");
    only(
        net.send(
            client,
            Frames.tcp(
                client.mac(), EdgeMac.of(client.switchId()), client.ip(), 50_000, vip, 21, SYN)),
        ftp);
    assertEquals(1, net.rules(s3, CookieKind.FTP_DATA).size());

    net.learn(at(ftp, s2, 3));
    tick();

    assertEquals(List.of(), net.rules(s3, CookieKind.FTP_DATA));
    assertEquals(1, net.rules(s2, CookieKind.FTP_DATA).size());
  }

  @Test
  void packetWithAnotherMac_movesNothing_whileTheOldPlaceIsUp() {
    Host other = new Host(s2, 4, MacAddress.of(0x02000000beefL), client.ip());

    only(fromClient(other, ACK), member);

    assertEquals(1, net.rules(s1, CookieKind.REQUEST).size());
    only(fromMember(member), client);
  }

  @Test
  void packetWithAnotherMac_isBelieved_whenTheOldPlaceIsDown() {
    Host other = new Host(s2, 4, MacAddress.of(0x02000000beefL), client.ip());
    net.disconnect(s1);

    only(fromClient(other, ACK), member);

    assertGoesOn(other, member);
  }

  @Test
  void ruleThatIsLeftBehind_endsNothingWhenItTimesOut() {
    FakeRule left = net.rules(s1, CookieKind.REQUEST).get(0);
    only(fromClient(clientAtS2, ACK), member);

    net.timeOut(s1, left);

    assertGoesOn(clientAtS2, member);
  }

  @Test
  void switchThatWasAwayMeanwhile_losesTheRuleThatIsLeftBehind() {
    net.disconnect(s1);
    only(fromClient(clientAtS2, ACK), member);
    assertEquals(1, net.rules(s1, CookieKind.REQUEST).size());

    net.addSwitch(1);

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertGoesOn(clientAtS2, member);
  }

  @Test
  void clientThatMovesToWhereThereIsNoPath_isNotReset_andGoesOnWhenThereIsOne() {
    DatapathId s4 = net.addSwitch(4);
    Host apart = at(client, s4, 1);

    assertEquals(List.of(), fromClient(apart, ACK));
    assertEquals(0, net.stats("m1").activeConnections());
    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));

    net.link(s4, 2, s1, 4);
    only(fromClient(apart, ACK), member);
    assertGoesOn(apart, member);
  }

  @Test
  void connectionThatItsClientHasEnded_doesNotCountAgain() {
    assumeEndsAreTold();
    only(fromClient(client, FIN), member);

    net.learn(clientAtS2);
    tick();

    assertEquals(0, net.stats("m1").activeConnections());
    assertEquals(0, net.module.counters().openConnections());
    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
  }

  @Test
  void portUsedAgainFromTheNewPlace_isANewConnectionThere() {
    assumeEndsAreTold();
    only(fromClient(client, FIN), member);

    only(fromClient(clientAtS2, SYN), member);

    net.network.setController((switchId, port, output) -> fail("missed"));
    only(fromClient(clientAtS2, ACK), member);
    assertEquals(2, net.stats("m1").totalConnections());
    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void pathThatIsNotReadyYet_keepsPacketsUntilItIs() {
    net.holdBarriers();
    assertEquals(List.of(), fromClient(at(client, s2, 3), ACK));
    net.delivered.clear();
    for (int i = 0; i < 6; i++) {
      net.releaseBarriers();
    }

    only(net.delivered, member);
    assertGoesOn(at(client, s2, 3), member);
  }

  @Test
  void manyConnections_areMovedBatchByBatch() {
    for (int port = 41_000; port < 41_450; port++) {
      net.send(
          client,
          Frames.tcp(client.mac(), EdgeMac.of(client.switchId()), client.ip(), port, VIP, 80, SYN));
    }

    net.learn(clientAtS2);
    tick();
    assertEquals(200, net.rules(s2, CookieKind.REQUEST).size());
    tick();
    tick();

    assertEquals(451, net.rules(s2, CookieKind.REQUEST).size());
    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertEquals(451, net.stats("m1").activeConnections());
  }
}
