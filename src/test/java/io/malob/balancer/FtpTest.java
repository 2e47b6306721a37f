package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * FTP through a VIP without a port.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member 1 (m1)
 *   other --3 |         3 |
 *                       member 2 (m2)
 * </pre>
 */
class FtpTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host other = Host.of(s1, 3, "10.0.0.2");
  private final Host first = Host.of(s2, 2, "10.0.0.11");
  private final Host second = Host.of(s2, 3, "10.0.0.12");

  FtpTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(other);
    net.learn(first);
    net.learn(second);
  }

  /** A VIP for all ports over both members, which listen on this port, or on any without one. */
  private void service(String... memberPort) {
    net.create(Catalog.VIPS, "id", "v", "address", VIP.toString());
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    member("m1", first, memberPort);
    member("m2", second, memberPort);
  }

  private void member(String id, Host host, String... port) {
    String[] fields = {"id", id, "address", host.ip().toString(), "pool_id", "p"};
    if (port.length > 0) {
      fields =
          List.of("id", id, "address", host.ip().toString(), "pool_id", "p", "port", port[0])
              .toArray(String[]::new);
    }
    net.create(Catalog.MEMBERS, fields);
  }

  private List<Delivery> toVip(Host from, int srcPort, int dstPort, int flags) {
    return net.send(
        from,
        Frames.tcp(
            from.mac(), EdgeMac.of(from.switchId()), from.ip(), srcPort, VIP, dstPort, flags));
  }

  private List<Delivery> toClient(Host member, int srcPort, Host to, int dstPort, int flags) {
    return net.send(
        member, Frames.tcp(member.mac(), to.mac(), member.ip(), srcPort, to.ip(), dstPort, flags));
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(receiver.mac(), packet.dstMac());
    return packet;
  }

  private List<FakeRule> dataRules() {
    return net.rules(s2, CookieKind.FTP_DATA);
  }

  private FakeRule requestRule(int srcPort) {
    return net.rules(s1, CookieKind.REQUEST).stream()
        .filter(rule -> rule.match().toString().contains("tcp_src=" + srcPort + ","))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void passiveData_goesToTheMemberOfTheControlConnection() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);

    for (int i = 1; i <= 4; i++) {
      assertEquals(50_000 + i, only(toVip(client, 40_000 + i, 50_000 + i, SYN), first).dstPort());
    }

    assertEquals(5, net.stats("m1").activeConnections());
    assertEquals(0, net.stats("m2").totalConnections());
  }

  /** Else the path of its own data connections would seem half as wide. */
  @Test
  void controlConnection_countsOnLinksUntilItsFirstDataConnection() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    assertEquals(2, activeOnLinks(), "in both directions");

    only(toVip(client, 40_001, 50_001, SYN), first);
    assertEquals(2, activeOnLinks(), "the data connection instead");
    only(toVip(client, 40_002, 50_002, SYN), first);
    assertEquals(4, activeOnLinks(), "both data connections");

    toVip(client, 40_000, 21, FIN | ACK);
    assertEquals(4, activeOnLinks());
  }

  private int activeOnLinks() {
    return net.module.links().stream().mapToInt(LinkStats::active).sum();
  }

  @Test
  void passiveData_keepsItsPortWhateverTheMembersOwnIs() {
    service("2121");
    assertEquals(2_121, only(toVip(client, 40_000, 21, SYN), first).dstPort());

    assertEquals(50_000, only(toVip(client, 40_001, 50_000, SYN), first).dstPort());

    Packet back = only(toClient(first, 50_000, client, 40_001, SYN | ACK), client);
    assertEquals(VIP.getInt(), back.srcAddress());
    assertEquals(50_000, back.srcPort());
  }

  @Test
  void otherClients_areBalancedAsAlways() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);

    only(toVip(other, 40_000, 50_000, SYN), second);
  }

  @Test
  void portWithAServiceOfItsOwn_isNotLed() {
    net.create(Catalog.SERVICES, "service_name", "web", "port", "8000", "algorithm", "RR");
    service();
    only(toVip(client, 40_000, 21, SYN), first);

    only(toVip(client, 40_001, 8_000, SYN), second);
    only(toVip(client, 40_002, 8_000, SYN), first);
  }

  @Test
  void vipOfThePortItself_isNotLed() {
    service();
    net.create(
        Catalog.VIPS, "id", "w", "address", VIP.toString(), "port", "50000", "protocol", "tcp");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "w1", "address", second.ip().toString(), "pool_id", "q");
    only(toVip(client, 40_000, 21, SYN), first);

    only(toVip(client, 40_001, 50_000, SYN), second);
  }

  @Test
  void withoutAServiceOnPort21_nothingIsLed() {
    net.module.catalog().snapshot().services().values().stream()
        .filter(service -> !service.isDefault())
        .forEach(service -> net.delete(Catalog.SERVICES, service.id()));
    service();
    only(toVip(client, 40_000, 21, SYN), first);

    only(toVip(client, 40_001, 50_000, SYN), second);
    assertEquals(List.of(), dataRules());
  }

  @Test
  void lastOfSeveralControlConnections_leads() {
    assumeEndsAreTold();
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    only(toVip(client, 40_001, 21, SYN), second);
    only(toVip(client, 40_002, 50_000, SYN), second);

    only(toVip(client, 40_001, 21, FIN | ACK), second);

    only(toVip(client, 40_003, 50_001, SYN), first);
  }

  @Test
  void endedControlConnection_leadsNoMore() {
    assumeEndsAreTold();
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    assertEquals(1, dataRules().size());

    only(toVip(client, 40_000, 21, FIN | ACK), first);

    only(toVip(client, 40_001, 50_000, SYN), second);
    assertEquals(List.of(), dataRules());
  }

  @Test
  void portOfAnEndedControlConnectionUsedAgain_leadsAgain() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    only(toVip(client, 40_000, 21, FIN | ACK), first);

    only(toVip(client, 40_000, 21, SYN), first);

    assertEquals(1, dataRules().size());
    only(toVip(client, 40_001, 50_000, SYN), first);
  }

  @Test
  void controlConnectionThatSleeps_leadsStill() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);

    net.timeOut(s1, requestRule(40_000));

    assertEquals(0, net.stats("m1").activeConnections());
    only(toVip(client, 40_001, 50_000, SYN), first);
    only(toClient(first, 20, client, 41_000, SYN), client);
  }

  @Test
  void controlConnectionThatIsForgotten_leadsNoMore() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    net.timeOut(s1, requestRule(40_000));

    net.pass(3_600);

    only(toVip(client, 40_001, 50_000, SYN), second);
    assertEquals(List.of(), dataRules());
  }

  @Test
  void memberThatIsDeleted_takesItsSessionsAndRulesAlong() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);

    net.delete(Catalog.MEMBERS, "m1");

    assertEquals(List.of(), dataRules());
    only(toVip(client, 40_001, 50_000, SYN), second);
  }

  @Test
  void activeData_comesFromTheVipAndGoesByRulesInBothDirections() {
    service("2121");
    only(toVip(client, 40_000, 21, SYN), first);

    Packet atClient = only(toClient(first, 20, client, 41_000, SYN), client);
    assertEquals(VIP.getInt(), atClient.srcAddress());
    assertEquals(20, atClient.srcPort());
    assertEquals(EdgeMac.of(client.switchId()), atClient.srcMac());

    net.network.setController(
        (switchId, port, output) -> fail("missed in table " + output.table()));
    Packet atMember = only(toVip(client, 41_000, 20, SYN | ACK), first);
    assertEquals(20, atMember.dstPort());
    assertEquals(first.ip().getInt(), atMember.dstAddress());
    assertEquals(VIP.getInt(), only(toClient(first, 20, client, 41_000, ACK), client).srcAddress());
    assertEquals(2, net.stats("m1").activeConnections());
  }

  @Test
  void activeData_endsWithTheClientsFin() {
    assumeEndsAreTold();
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    only(toClient(first, 20, client, 41_000, SYN), client);

    only(toVip(client, 41_000, 20, FIN | ACK), first);

    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void activeDataToThePortOfAnEarlierTransfer_isANewConnection() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    only(toClient(first, 20, client, 41_000, SYN), client);
    only(toVip(client, 41_000, 20, FIN | ACK), first);

    // its rules are there still, so the SYN goes by them
    only(toClient(first, 20, client, 41_000, SYN), client);
    net.timeOut(s1, requestRule(41_000));
    net.timeOut(
        s2,
        net.rules(s2, CookieKind.REPLY).stream().filter(this::isData).findFirst().orElseThrow());
    only(toClient(first, 20, client, 41_000, SYN), client);

    assertEquals(2, net.stats("m1").activeConnections());
    assertEquals(3, net.stats("m1").totalConnections());
  }

  private boolean isData(FakeRule rule) {
    return rule.match().toString().contains("tcp_src=20,");
  }

  @Test
  void activeDataThatSlept_isWokenByEitherEnd() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    only(toClient(first, 20, client, 41_000, SYN), client);
    net.timeOut(s1, requestRule(41_000));
    net.timeOut(
        s2,
        net.rules(s2, CookieKind.REPLY).stream().filter(this::isData).findFirst().orElseThrow());

    assertEquals(VIP.getInt(), only(toClient(first, 20, client, 41_000, ACK), client).srcAddress());
    only(toVip(client, 41_000, 20, ACK), first);
    assertEquals(2, net.stats("m1").activeConnections());
    assertEquals(2, net.stats("m1").totalConnections());
  }

  @Test
  void synOfActiveDataThatIsSentAgain_isTheSameConnection() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    byte[] syn = Frames.tcp(first.mac(), client.mac(), first.ip(), 20, client.ip(), 41_000, SYN);
    net.send(first, syn);

    only(net.repeatPacketIn(first, syn), client);

    assertEquals(2, net.stats("m1").totalConnections());
  }

  @Test
  void connectionFromPort20WithoutControlConnection_isLeftToOthers() {
    assumeEndsAreTold();
    service();
    only(toVip(client, 40_000, 21, SYN), first);

    assertEquals(List.of(), toClient(first, 20, other, 41_000, SYN));
    assertEquals(List.of(), toClient(second, 20, client, 41_000, SYN));
    assertEquals(List.of(), toClient(first, 2_000, client, 41_000, SYN));
    only(toVip(client, 40_000, 21, FIN | ACK), first);
    assertEquals(List.of(), toClient(first, 20, client, 41_000, SYN));

    assertEquals(4, net.passedOn.size(), "left to forwarding");
  }

  @Test
  void secondMemberToTheSamePortOfAClient_isReset() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    only(toVip(client, 40_001, 21, SYN), second);
    only(toClient(first, 20, client, 41_000, SYN), client);

    Packet reset = only(toClient(second, 20, client, 41_000, SYN), second);

    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertEquals(client.ip().getInt(), reset.srcAddress());
    assertEquals(1, net.refused(RejectReason.NO_DISTINCT_MEMBER));
  }

  @Test
  void oneOfTwoControlConnectionsToAMember_leavesTheRuleForTheOther() {
    assumeEndsAreTold();
    service();
    net.delete(Catalog.MEMBERS, "m2");
    only(toVip(client, 40_000, 21, SYN), first);
    only(toVip(client, 40_001, 21, SYN), first);
    assertEquals(1, dataRules().size());

    only(toVip(client, 40_001, 21, FIN | ACK), first);

    assertEquals(1, dataRules().size());
    only(toClient(first, 20, client, 41_000, SYN), client);
    only(toVip(client, 40_000, 21, FIN | ACK), first);
    assertEquals(List.of(), dataRules());
  }

  @Test
  void memberSwitchThatLostItsRules_getsTheDataRuleWithTheNextReply() {
    service();
    only(toVip(client, 40_000, 21, SYN), first);
    net.disconnect(s2);
    net.table(s2).clear();
    net.addSwitch(2);
    assertEquals(List.of(), dataRules(), "they were sent a moment ago");
    net.pass(5);

    only(toClient(first, 21, client, 40_000, ACK), client);

    assertEquals(1, dataRules().size());
    assertNotEquals(List.of(), net.rules(s2, CookieKind.LABEL));
  }

  @Test
  void manyControlConnectionsOfOneClient_areBounded() {
    assumeEndsAreTold();
    service();
    for (int port = 40_000; port < 40_100; port++) {
      toVip(client, port, 21, SYN);
    }
    // 50 to each; the last went to the second
    only(toVip(client, 50_000, 50_000, SYN), second);
    for (int port = 40_099; port >= 40_084; port--) {
      toVip(client, port, 21, FIN | ACK);
    }

    only(toVip(client, 50_001, 50_001, SYN), first);
    only(toVip(client, 50_002, 50_002, SYN), second);
  }
}
