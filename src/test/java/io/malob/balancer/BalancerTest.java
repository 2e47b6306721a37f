package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.TableId;

/**
 * Packets through the balancer and its tables.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member 1 (m1)
 *  member 3 --3 |               3 |
 *                               member 2 (m2)
 * </pre>
 */
class BalancerTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final MacAddress VIP_MAC = EdgeMac.of(DatapathId.of(1));
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host local = Host.of(s1, 3, "10.0.0.13");
  private final Host far = Host.of(s3, 2, "10.0.0.11");
  private final Host farToo = Host.of(s3, 3, "10.0.0.12");

  BalancerTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.link(s2, 2, s3, 1);
  }

  private byte[] toVip(int srcPort, int dstPort, int flags) {
    return Frames.tcp(client.mac(), VIP_MAC, client.ip(), srcPort, VIP, dstPort, flags);
  }

  private byte[] fromMember(Host member, int srcPort, int dstPort) {
    return Frames.tcp(
        member.mac(), client.mac(), member.ip(), srcPort, client.ip(), dstPort, SYN | ACK);
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(receiver.mac(), packet.dstMac());
    return packet;
  }

  @Test
  void firstPacket_reachesTheMemberTranslated() {
    net.learn(far);
    net.webService(far);

    Packet atMember = only(net.send(client, toVip(40_000, 80, SYN)), far);

    assertEquals(client.ip().getInt(), atMember.srcAddress());
    assertEquals(far.ip().getInt(), atMember.dstAddress());
    assertEquals(40_000, atMember.srcPort());
    assertEquals(8_080, atMember.dstPort());
  }

  @Test
  void laterPackets_goByTheRulesAloneInBothDirections() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.network.setController(
        (switchId, port, output) -> fail("missed in table " + output.table()));

    Packet atMember = only(net.send(client, toVip(40_000, 80, ACK)), far);
    Packet atClient = only(net.send(far, fromMember(far, 8_080, 40_000)), client);

    assertEquals(8_080, atMember.dstPort());
    assertEquals(VIP.getInt(), atClient.srcAddress());
    assertEquals(80, atClient.srcPort());
    assertEquals(VIP_MAC, atClient.srcMac());
  }

  @Test
  void connection_costsTwoRulesAtAnyPathLength() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    int before = allRules();

    for (int port = 40_001; port <= 40_010; port++) {
      net.send(client, toVip(port, 80, SYN));
    }

    assertEquals(before + 20, allRules());
    assertEquals(0, net.rules(s2, CookieKind.REQUEST).size());
  }

  private int allRules() {
    return net.switchIds().stream().mapToInt(id -> net.table(id).rules().size()).sum();
  }

  @Test
  void clientAndMemberOnOneSwitch_needNoLabel() {
    net.learn(local);
    net.webService(local);

    only(net.send(client, toVip(40_000, 80, SYN)), local);
    only(net.send(client, toVip(40_000, 80, ACK)), local);
    Packet back = only(net.send(local, fromMember(local, 8_080, 40_000)), client);

    assertEquals(VIP.getInt(), back.srcAddress());
    assertEquals(0, net.rules(s1, CookieKind.LABEL).size());
  }

  @Test
  void packetWithoutAHostRule_isDeliveredAndTheRuleComesBack() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    int hosts = net.rules(s3, CookieKind.HOST).size();
    for (FakeRule rule : net.rules(s3, CookieKind.HOST)) {
      net.network.send(
          s3,
          BalancerNetwork.FACTORY
              .buildFlowDeleteStrict()
              .setTableId(rule.table())
              .setPriority(rule.priority())
              .setMatch(rule.match())
              .build());
    }

    Packet atMember = only(net.send(client, toVip(40_000, 80, ACK)), far);

    assertEquals(8_080, atMember.dstPort());
    only(net.send(far, fromMember(far, 8_080, 40_000)), client);
    assertEquals(hosts, net.rules(s3, CookieKind.HOST).size());
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void clientAndMemberBehindOnePort_goBackOutOfIt() {
    Host neighbour = Host.of(s1, 1, "10.0.0.14");
    net.learn(neighbour);
    net.webService(neighbour);

    only(net.send(client, toVip(40_000, 80, SYN)), neighbour);
    only(net.send(client, toVip(40_000, 80, ACK)), neighbour);
    only(net.send(neighbour, fromMember(neighbour, 8_080, 40_000)), client);
  }

  @Test
  void repeatedPacketIns_stayOnOneMember() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    Packet first = Packet.parse(net.send(client, toVip(40_000, 80, SYN)).get(0).frame());

    for (int i = 0; i < 5; i++) {
      List<Delivery> again = net.repeatPacketIn(client, toVip(40_000, 80, SYN));
      assertEquals(1, again.size());
      assertEquals(first.dstAddress(), Packet.parse(again.get(0).frame()).dstAddress());
    }
    assertEquals(1, net.stats("m1").totalConnections() + net.stats("m2").totalConnections());
  }

  @Test
  void replyThatIsFasterThanItsRule_isSentOn() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    FakeRule reply = net.rules(s3, CookieKind.REPLY).get(0);
    net.timeOut(s3, reply);

    only(net.send(far, fromMember(far, 8_080, 40_000)), client);
    assertEquals(List.of(), net.rules(s3, CookieKind.REPLY), "may be on its way");

    net.pass(1);
    Packet atClient = only(net.send(far, fromMember(far, 8_080, 40_000)), client);

    assertEquals(VIP.getInt(), atClient.srcAddress());
    assertEquals(1, net.rules(s3, CookieKind.REPLY).size());
  }

  @Test
  void twoPortsOfOneAddress_areTwoServices() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far);
    net.create(
        Catalog.VIPS, "id", "tls", "protocol", "tcp", "address", "10.0.0.100", "port", "443");
    net.create(Catalog.POOLS, "id", "tlsPool", "vip_id", "tls");
    net.create(
        Catalog.MEMBERS, "id", "t1", "address", "10.0.0.12", "port", "8443", "pool_id", "tlsPool");

    assertEquals(8_080, only(net.send(client, toVip(40_000, 80, SYN)), far).dstPort());
    assertEquals(8_443, only(net.send(client, toVip(40_001, 443, SYN)), farToo).dstPort());
  }

  @Test
  void otherTrafficOfTheClient_isNotTouched() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    byte[] direct = Frames.tcp(client.mac(), far.mac(), client.ip(), 40_000, far.ip(), 80, SYN);

    List<Delivery> out = net.send(client, direct);

    assertEquals(List.of(), out);
    assertEquals(1, net.passedOn.size(), "left to forwarding");
  }

  @Test
  void everyMemberMissing_isRefusedAfterAWhile() {
    net.webService(far);

    List<Delivery> out = net.send(client, toVip(40_000, 80, SYN));
    assertTrue(out.stream().allMatch(delivery -> isArp(delivery.frame())), "only asks around");

    net.delivered.clear();
    net.pass(2);
    assertTrue(net.delivered.stream().allMatch(delivery -> isArp(delivery.frame())), "waits");

    net.delivered.clear();
    net.pass(1);
    net.delivered.removeIf(delivery -> isArp(delivery.frame()));
    assertTrue(only(net.delivered, client).hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, net.refused(RejectReason.NO_MEMBER));
    assertFalse(net.stats("m1").located());
  }

  @Test
  void unusedPath_isRemovedAfterHalfAMinuteAndInUseOnesAreNot() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.pass(31);
    assertEquals(2, net.rules(s2, CookieKind.LABEL).size(), "one path each way");

    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.delete(Catalog.MEMBERS, "m1");
    net.pass(31);

    assertEquals(List.of(), net.rules(s2, CookieKind.LABEL));
  }

  private static boolean isArp(byte[] frame) {
    return Packet.parse(frame).kind() == Packet.Kind.ARP;
  }

  @Test
  void packetForAMemberThatNobodyKnows_waitsUntilTheMemberAnswersArp() {
    net.webService(far);
    assertTrue(
        net.delivered.stream()
            .anyMatch(at -> at.switchId().equals(s3) && at.port().getPortNumber() == far.port()),
        "asked for at once");
    assertEquals(List.of(), net.send(client, toVip(40_000, 80, SYN)));

    net.delivered.clear();
    net.learn(far);

    assertEquals(far.ip().getInt(), only(net.delivered, far).dstAddress());
  }

  @Test
  void connectionThatNeedsANewPath_waitsForTheSwitchesToConfirm() {
    net.webService(far);
    net.holdBarriers();
    net.learn(far);
    assertEquals(List.of(), net.send(client, toVip(40_000, 80, SYN)));
    net.delivered.clear();

    // one barrier for each switch of each direction, one after the other
    for (int i = 0; i < 6; i++) {
      net.releaseBarriers();
    }

    only(net.delivered, far);
  }

  @Test
  void switchThatRefusesAPath_getsTheClientReset() {
    net.webService(far);
    net.holdBarriers();
    net.learn(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.delivered.clear();

    net.failBarriers();

    Packet reset = only(net.delivered, client);
    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, net.refused(RejectReason.PATH_FAILED));
    assertEquals(0, net.stats("m1").activeConnections());
  }

  @Test
  void switchWithoutRoomForALabel_isNoWay() {
    net.webService(far);
    net.refuse(CookieKind.LABEL, true);
    net.learn(far);
    Packet reset = only(net.send(client, toVip(40_000, 80, SYN)), client);
    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, net.refused(RejectReason.PATH_FAILED));
    assertEquals(0, net.module.paths().size());

    net.refuse(CookieKind.LABEL, false);
    only(net.send(client, toVip(40_001, 80, SYN)), far);
    assertEquals(1, net.module.counters().openConnections());
  }

  @Test
  void portWithoutVip_isResetAtTheRightNumber() {
    net.learn(far);
    net.webService(far);

    Packet reset = only(net.send(client, toVip(40_000, 81, SYN)), client);

    assertTrue(reset.hasTcpFlags(Packet.TCP_RST | Packet.TCP_ACK));
    assertEquals(VIP.getInt(), reset.srcAddress());
    assertEquals(81, reset.srcPort());
    assertEquals(1, net.refused(RejectReason.NO_VIP));
  }

  @Test
  void udpWithoutVip_getsPortUnreachable() {
    net.learn(far);
    net.webService(far);
    byte[] datagram = Frames.udp(client.mac(), VIP_MAC, client.ip(), 5_000, VIP, 53, new byte[9]);

    Packet answer = only(net.send(client, datagram), client);

    assertEquals(Packet.Kind.ICMP, answer.kind());
    assertEquals(3, answer.icmpType());
  }

  @Test
  void middleOfAConnectionThatNobodyRemembers_isReset() {
    net.learn(far);
    net.webService(far);

    Packet reset = only(net.send(client, toVip(40_000, 80, ACK)), client);

    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, net.refused(RejectReason.UNKNOWN_CONNECTION));
  }

  @Test
  void resets_areNotAnsweredByResets() {
    net.learn(far);
    net.webService(far);

    assertEquals(List.of(), net.send(client, toVip(40_000, 80, Packet.TCP_RST)));
  }

  @Test
  void client_isNeverItsOwnMember() {
    net.learn(far);
    net.webService(far);
    byte[] syn = Frames.tcp(far.mac(), VIP_MAC, far.ip(), 40_000, VIP, 80, SYN);

    Packet reset = only(net.send(far, syn), far);

    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, net.refused(RejectReason.NO_DISTINCT_MEMBER));
  }

  @Test
  void connectionsThatWouldLookAlikeToAMember_goToDifferentMembers() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    // a second VIP over the same two servers
    net.create(Catalog.VIPS, "id", "w", "protocol", "tcp", "address", "10.0.0.101", "port", "80");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "w1", "address", "10.0.0.11", "port", "8080", "pool_id", "q");
    net.create(Catalog.MEMBERS, "id", "w2", "address", "10.0.0.12", "port", "8080", "pool_id", "q");
    IPv4Address second = IPv4Address.of("10.0.0.101");

    Packet one = Packet.parse(net.send(client, toVip(40_000, 80, SYN)).get(0).frame());
    byte[] syn =
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), 40_000, second, 80, SYN);
    Packet two = Packet.parse(net.send(client, syn).get(0).frame());

    assertNotEquals(one.dstAddress(), two.dstAddress());
  }

  @Test
  void secondConnectionOfAClient_leavesTheFirstOnesRules() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    Packet first = Packet.parse(net.send(client, toVip(40_000, 80, SYN)).get(0).frame());
    Packet second = Packet.parse(net.send(client, toVip(40_001, 80, SYN)).get(0).frame());
    assertNotEquals(first.dstAddress(), second.dstAddress());

    Packet later = Packet.parse(net.send(client, toVip(40_000, 80, ACK)).get(0).frame());

    assertEquals(first.dstAddress(), later.dstAddress());
  }

  @Test
  void roundRobin_givesEachMemberItsTurn() {
    net.learn(far);
    net.learn(farToo);
    net.learn(local);
    net.webService(far, farToo, local);

    Map<Integer, Integer> connections = new HashMap<>();
    for (int port = 40_000; port < 40_030; port++) {
      Packet packet = Packet.parse(net.send(client, toVip(port, 80, SYN)).get(0).frame());
      connections.merge(packet.dstAddress(), 1, Integer::sum);
    }

    assertEquals(
        Map.of(far.ip().getInt(), 10, farToo.ip().getInt(), 10, local.ip().getInt(), 10),
        connections);
  }

  @Test
  void udpAndIcmp_areBalancedByAVipWithoutProtocol() {
    net.learn(far);
    net.create(Catalog.VIPS, "id", "all", "address", "10.0.0.100");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "all");
    net.create(Catalog.MEMBERS, "id", "m", "address", "10.0.0.11", "pool_id", "p");

    byte[] datagram = Frames.udp(client.mac(), VIP_MAC, client.ip(), 5_000, VIP, 53, new byte[3]);
    assertEquals(53, only(net.send(client, datagram), far).dstPort());
    byte[] answer =
        Frames.udp(far.mac(), client.mac(), far.ip(), 53, client.ip(), 5_000, new byte[3]);
    assertEquals(VIP.getInt(), only(net.send(far, answer), client).srcAddress());

    byte[] ping = Frames.echoRequest(client.mac(), VIP_MAC, client.ip(), VIP);
    assertEquals(far.ip().getInt(), only(net.send(client, ping), far).dstAddress());
  }

  private void anyService() {
    net.learn(far);
    net.create(Catalog.VIPS, "id", "all", "address", "10.0.0.100");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "all");
    net.create(Catalog.MEMBERS, "id", "m1", "address", "10.0.0.11", "pool_id", "p");
  }

  @Test
  void fragmentsOfUdpAndTcp_areCountedAndNotPlaced() {
    anyService();
    byte[] datagram = Frames.udp(client.mac(), VIP_MAC, client.ip(), 5_000, VIP, 53, new byte[32]);

    for (byte[] packet : List.of(datagram, toVip(40_000, 80, SYN), toVip(40_000, 80, ACK))) {
      assertEquals(List.of(), net.send(client, Frames.fragment(packet, 0, true)));
      assertEquals(List.of(), net.send(client, Frames.fragment(packet, 5, true)));
      assertEquals(List.of(), net.send(client, Frames.fragment(packet, 9, false)));
    }

    assertEquals(9, net.refused(RejectReason.FRAGMENT));
    assertEquals(0, net.stats("m1").totalConnections());
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void fragmentOfAMembersAnswer_isCounted() {
    anyService();
    byte[] datagram = Frames.udp(client.mac(), VIP_MAC, client.ip(), 5_000, VIP, 53, new byte[3]);
    only(net.send(client, datagram), far);
    net.timeOut(s3, net.rules(s3, CookieKind.REPLY).get(0));
    byte[] answer =
        Frames.udp(far.mac(), client.mac(), far.ip(), 53, client.ip(), 5_000, new byte[32]);

    assertEquals(List.of(), net.send(far, Frames.fragment(answer, 0, true)));

    assertEquals(1, net.refused(RejectReason.FRAGMENT));
  }

  @Test
  void fragmentsOfAPing_followTheFirst() {
    anyService();
    byte[] ping = Frames.echoRequest(client.mac(), VIP_MAC, client.ip(), VIP);
    byte[] later = Frames.fragment(ping, 1, false);
    assertEquals(List.of(), net.send(client, later), "nobody knows it yet");
    assertEquals(1, net.refused(RejectReason.FRAGMENT));

    only(net.send(client, Frames.fragment(ping, 0, true)), far);
    List<Delivery> beforeItsRule = net.repeatPacketIn(client, later);
    assertEquals(far.ip().getInt(), only(beforeItsRule, far).dstAddress());
    net.network.setController(
        (at, port, output) -> {
          throw new AssertionError("missed at " + at);
        });
    only(net.send(client, Frames.fragment(ping, 0, true)), far);
    only(net.send(client, later), far);
    only(net.send(far, Frames.fragment(pong(far), 0, true)), client);
    only(net.send(far, Frames.fragment(pong(far), 1, false)), client);

    assertEquals(1, net.stats("m1").totalConnections());
    assertEquals(1, net.refused(RejectReason.FRAGMENT));
  }

  @Test
  void errorAboutAPacketOfAConnection_reachesItsSender() {
    net.learn(far);
    net.webService(far);
    byte[] atMember = only(net.send(client, toVip(40_000, 80, SYN)), far).frame();
    byte[] atClient = only(net.send(far, fromMember(far, 8_080, 40_000)), client).frame();

    Packet toMember = only(net.send(client, unreachable(atClient)), far);
    Packet toClient = only(net.send(far, unreachable(atMember)), client);

    assertEquals(far.ip(), toMember.destination());
    assertEquals(client.ip(), toMember.source());
    assertEquals(client.ip(), toClient.destination());
    assertEquals(VIP, toClient.source());
    assertEquals(0, net.refused(RejectReason.NOT_BALANCED));
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void errorAboutAPacketOfAConnection_reachesItsSender_besideAPing() {
    anyService();
    byte[] atMember = only(net.send(client, toVip(40_000, 80, SYN)), far).frame();
    byte[] atClient = only(net.send(far, fromMember(far, 80, 40_000)), client).frame();
    only(net.send(client, Frames.echoRequest(client.mac(), VIP_MAC, client.ip(), VIP)), far);
    only(net.send(far, pong(far)), client);

    Packet toMember = only(net.send(client, unreachable(atClient)), far);
    Packet toClient = only(net.send(far, unreachable(atMember)), client);

    assertEquals(far.ip(), quotedBy(toMember).source());
    assertEquals(VIP, quotedBy(toClient).destination());
  }

  @Test
  void pingOfAMember_besideItsClientsPingOfTheVip_isLeftToOthers() {
    anyService();
    only(net.send(client, Frames.echoRequest(client.mac(), VIP_MAC, client.ip(), VIP)), far);

    byte[] own = Frames.echoRequest(far.mac(), client.mac(), far.ip(), client.ip());
    assertEquals(List.of(), net.send(far, own));

    assertEquals(1, net.passedOn.size());
  }

  private byte[] pong(Host from) {
    return Frames.echo(0, from.mac(), client.mac(), from.ip(), client.ip(), 0x10001);
  }

  private static QuotedPacket quotedBy(Packet error) {
    return QuotedPacket.of(error).orElseThrow();
  }

  private static byte[] unreachable(byte[] frame) {
    return Replies.portUnreachable(Packet.parse(frame));
  }

  @Test
  void errorAboutAPacketOfNoConnection_isCounted_orLeftToOthers() {
    anyService();
    byte[] reply = Frames.tcp(VIP_MAC, client.mac(), VIP, 80, client.ip(), 40_000, SYN | ACK);
    byte[] request =
        Frames.tcp(client.mac(), far.mac(), client.ip(), 40_000, far.ip(), 80, SYN | ACK);

    assertEquals(List.of(), net.send(client, unreachable(reply)));
    assertEquals(List.of(), net.send(far, unreachable(request)));

    assertEquals(1, net.refused(RejectReason.NOT_BALANCED));
    assertEquals(1, net.passedOn.size());
  }

  @Test
  void packetForAVipThatCannotBeRead_isCountedAndGoesNowhere() {
    anyService();
    byte[] cut = Arrays.copyOf(toVip(40_000, 80, SYN), 40);

    assertEquals(List.of(), net.send(client, cut));

    assertEquals(1, net.refused(RejectReason.NOT_BALANCED));
    assertEquals(List.of(), net.passedOn);
  }

  /** Routing headers evade rules, and fragments have no ports; other extension headers pass. */
  @Test
  void extensionHeadersOfIpv6_passOrAreCounted() {
    IPv6Address vip = IPv6Address.of("2001:db8::64");
    net.create(Catalog.VIPS, "id", "six", "protocol", "tcp", "address", "2001:db8::64");
    Ipv6Frames frames =
        new Ipv6Frames(
            client.mac(), EdgeMac.of(client.switchId()), IPv6Address.of("2001:db8::1"), vip);
    byte[] segment = Arrays.copyOfRange(frames.tcp(40_000, 80, SYN), 54, 74);
    byte[] behind = new byte[8 + segment.length];
    behind[0] = 6;
    System.arraycopy(segment, 0, behind, 8, segment.length);

    net.send(client, frames.packet(43, behind));
    net.send(client, frames.fragment(6, 0, true, segment));
    net.send(client, frames.fragment(6, 3, false, segment));
    assertEquals(1, net.refused(RejectReason.ROUTING_HEADER));
    assertEquals(2, net.refused(RejectReason.FRAGMENT));
    assertEquals(0, net.refused(RejectReason.NO_POOL));

    net.send(client, frames.packet(0, behind));
    net.send(client, frames.packet(60, behind));
    assertEquals(2, net.refused(RejectReason.NO_POOL));
    assertEquals(1, net.refused(RejectReason.ROUTING_HEADER));
    assertEquals(2, net.refused(RejectReason.FRAGMENT));
  }

  @Test
  void ipv6_isLeftToOthers() {
    anyService();

    net.send(client, Frames.ethernet(client.mac(), VIP_MAC, 0x86dd, new byte[40]));

    assertEquals(1, net.passedOn.size());
  }

  @Test
  void packetsThatWaitForMembers_areSpreadOverThoseThatAnswer() {
    net.webService(far, farToo);
    for (int port = 40_000; port < 40_004; port++) {
      net.send(client, toVip(port, 80, SYN));
    }

    net.delivered.clear();
    net.learn(far);
    assertTrue(net.delivered.stream().allMatch(out -> isArp(out.frame())), "the other may answer");
    net.nanoTime.addAndGet(50_000_000);
    net.learn(farToo);

    assertEquals(2, net.stats("m1").totalConnections());
    assertEquals(2, net.stats("m2").totalConnections());
  }

  @Test
  void pendingPackets_areForwardedWithoutMembersThatDoNotAnswer() {
    net.webService(far, farToo);
    net.send(client, toVip(40_000, 80, SYN));
    net.learn(far);

    net.pass(1);

    assertEquals(1, net.stats("m1").totalConnections());
    only(net.send(client, toVip(40_001, 80, SYN)), far);
    assertEquals(2, net.stats("m1").totalConnections(), "who comes now does not wait");
  }

  @Test
  void arpForAVip_isAnsweredAtTheFirstSwitchBroadcastOrUnicast() {
    net.learn(far);
    net.webService(far);
    byte[] broadcast = Frames.arpRequest(client.mac(), client.ip(), VIP);
    byte[] unicast = broadcast.clone();
    System.arraycopy(VIP_MAC.getBytes(), 0, unicast, 0, 6);

    for (byte[] request : List.of(broadcast, unicast)) {
      Packet reply = only(net.send(client, request), client);
      assertEquals(Packet.ARP_REPLY, reply.arpOperation());
      assertEquals(VIP_MAC, reply.arpSenderMac());
      assertEquals(VIP.getInt(), reply.srcAddress());
    }
  }

  @Test
  void arpForADeletedVip_isLeftToOthers() {
    net.learn(far);
    net.webService(far);
    net.delete(Catalog.VIPS, "v");

    assertEquals(List.of(), net.send(client, Frames.arpRequest(client.mac(), client.ip(), VIP)));

    assertEquals(1, net.passedOn.size());
    assertEquals(List.of(), net.rules(s1, CookieKind.VIP));
  }

  @Test
  void deletedMember_losesItsRulesAndConnectionsAndNoOther() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    net.send(client, toVip(40_000, 80, SYN));
    net.send(client, toVip(40_001, 80, SYN));

    net.delete(Catalog.MEMBERS, "m1");

    assertEquals(1, net.rules(s1, CookieKind.REQUEST).size());
    assertEquals(1, net.rules(s3, CookieKind.REPLY).size());
    Packet reset = only(net.send(client, toVip(40_000, 80, ACK)), client);
    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    only(net.send(client, toVip(40_001, 80, ACK)), farToo);
  }

  @Test
  void deletedPool_losesItsRules() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));

    net.delete(Catalog.POOLS, "p");

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertEquals(0, net.rules(s3, CookieKind.REPLY).size());
    assertTrue(only(net.send(client, toVip(40_001, 80, SYN)), client).hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, net.refused(RejectReason.NO_POOL));
  }

  @Test
  void deletedVip_losesItsRules() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));

    net.delete(Catalog.VIPS, "v");

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertEquals(0, net.rules(s3, CookieKind.REPLY).size());
  }

  @Test
  void timeOut_endsTheCountButNotTheMemory() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    Packet first = Packet.parse(net.send(client, toVip(40_000, 80, SYN)).get(0).frame());
    assertEquals(1, net.stats("m1").activeConnections());
    net.send(client, toVip(40_000, 80, ACK));

    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    assertEquals(0, net.stats("m1").activeConnections());

    Packet later = only(net.send(client, toVip(40_000, 80, ACK)), far);
    assertEquals(first.dstAddress(), later.dstAddress());
    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(1, net.stats("m1").totalConnections());
  }

  @Test
  void finOfTheClient_endsTheCountAtOnceAndStillArrivesOnce() {
    assumeEndsAreTold();
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));

    only(net.send(client, toVip(40_000, 80, Packet.TCP_FIN | ACK)), far);

    assertEquals(0, net.stats("m1").activeConnections());
    only(net.send(far, fromMember(far, 8_080, 40_000)), client);
    only(net.send(client, toVip(40_000, 80, Packet.TCP_FIN | ACK)), far);
    assertEquals(0, net.stats("m1").activeConnections());
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    assertEquals(0, net.stats("m1").activeConnections());
  }

  @Test
  void portThatIsUsedAgainAtOnce_countsAgainOnTheMemberThatItsRulesLeadTo() {
    assumeEndsAreTold();
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    only(net.send(client, toVip(40_000, 80, SYN)), far);
    only(net.send(client, toVip(40_000, 80, Packet.TCP_FIN | ACK)), far);
    List<FakeRule> rules = net.rules(s1, CookieKind.REQUEST);

    only(net.send(client, toVip(40_000, 80, SYN)), far);

    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(2, net.stats("m1").totalConnections());
    assertEquals(
        rules, net.rules(s1, CookieKind.REQUEST), "a changed rule would take effect too late");
  }

  @Test
  void synThatIsSentAgain_staysOnItsMember() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    only(net.send(client, toVip(40_000, 80, SYN)), far);

    only(net.send(client, toVip(40_000, 80, SYN)), far);

    assertEquals(0, net.stats("m2").totalConnections());
  }

  @Test
  void resetByTheClient_endsTheCountAtOnce() {
    assumeEndsAreTold();
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));

    only(net.send(client, toVip(40_000, 80, Packet.TCP_RST)), far);

    assertEquals(0, net.stats("m1").activeConnections());
    assertTrue(net.module.endsAreTold());
  }

  @Test
  void endedConnectionThatGoesOn_countsAgain() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.send(client, toVip(40_000, 80, Packet.TCP_FIN | ACK));
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));

    only(net.send(client, toVip(40_000, 80, ACK)), far);

    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(1, net.stats("m1").totalConnections());
  }

  @Test
  void replyThatReactivatesAConnection_waitsForItsPathsAndCannotKeepItOpen() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.send(client, toVip(40_000, 80, ACK));
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.timeOut(s3, net.rules(s3, CookieKind.REPLY).get(0));
    net.pass(40);
    assertEquals(List.of(), net.module.paths(), "the paths are gone");

    net.holdBarriers();
    assertEquals(List.of(), net.send(far, fromMember(far, 8_080, 40_000)));
    net.delivered.clear();
    net.releaseBarriers();
    only(net.delivered, client);
    assertEquals(1, net.stats("m1").activeConnections());

    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    assertEquals(0, net.stats("m1").activeConnections());
  }

  @Test
  void ruleThatASwitchRefuses_endsItsConnectionAndIsCounted() {
    net.learn(far);
    net.webService(far);
    net.refuse(CookieKind.REQUEST, true);
    only(net.send(client, toVip(40_000, 80, SYN)), far);

    assertEquals(0, net.stats("m1").activeConnections());
    assertEquals(0, net.module.counters().openConnections());
    assertEquals(1, net.refused(RejectReason.RULE_REFUSED));
    assertEquals(
        Map.of(s1, Map.of("FLOW_MOD_FAILED/TABLE_FULL", 1L)), net.module.counters().refusedRules());
    assertEquals(List.of(), net.rules(s3, CookieKind.REPLY), "its other rule goes, too");

    net.refuse(CookieKind.REQUEST, false);
    only(net.send(client, toVip(40_000, 80, SYN)), far);
    assertEquals(1, net.module.counters().openConnections());
  }

  @Test
  void leastConnections_seesWhatHasEnded() {
    assumeEndsAreTold();
    net.learn(far);
    net.learn(farToo);
    net.create(
        Catalog.SERVICES,
        "service_name",
        "web",
        "port",
        "80",
        "protocol",
        "tcp",
        "algorithm",
        "LC");
    net.webService(far, farToo);
    for (int port = 40_000; port < 40_004; port++) {
      net.send(client, toVip(port, 80, SYN));
    }
    // the first and third are on the first member
    net.send(client, toVip(40_000, 80, Packet.TCP_FIN | ACK));
    net.send(client, toVip(40_002, 80, Packet.TCP_FIN | ACK));

    only(net.send(client, toVip(40_005, 80, SYN)), far);
    only(net.send(client, toVip(40_006, 80, SYN)), far);
  }

  @Test
  void switchThatCannotMatchTcpFlags_endsConnectionsByTimeOut() {
    BalancerNetwork old = network();
    old.refuseTcpFlags();
    DatapathId sw = old.addSwitch(1);
    Host from = Host.of(sw, 1, "10.0.0.1");
    Host to = Host.of(sw, 2, "10.0.0.11");
    old.learn(to);
    old.webService(to);
    only(old.send(from, toVip(40_000, 80, SYN)), to);

    only(old.send(from, toVip(40_000, 80, Packet.TCP_FIN | ACK)), to);

    assertFalse(old.module.endsAreTold());
    assertEquals(1, old.stats("m1").activeConnections());
    old.timeOut(sw, old.rules(sw, CookieKind.REQUEST).get(0));
    assertEquals(0, old.stats("m1").activeConnections());
  }

  @Test
  void synOfARememberedTuple_startsANewConnection() {
    net.learn(far);
    net.learn(farToo);
    net.webService(far, farToo);
    net.send(client, toVip(40_000, 80, SYN));
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));

    only(net.send(client, toVip(40_000, 80, SYN)), farToo);

    assertEquals(1, net.stats("m2").totalConnections());
  }

  @Test
  void lateNoticeOfAnEarlierConnection_doesNotEndTheNewOne() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    FakeRule earlier = net.rules(s1, CookieKind.REQUEST).get(0);
    net.timeOut(s1, earlier);
    net.send(client, toVip(40_000, 80, SYN));

    net.timeOut(s1, earlier);

    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void switchThatComesBackEmpty_isProgrammedAnew() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.disconnect(s2);
    net.table(s2).apply(BalancerNetwork.FACTORY.buildFlowDelete().setTableId(TableId.ALL).build());

    net.addSwitch(2);
    net.pass(5);

    only(net.send(client, toVip(40_000, 80, ACK)), far);
  }

  @Test
  void switchThatTakesNoOrders_goesOnForwardingAndIsPreparedWhenItTakesThemAgain() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.deactivate(s2);
    net.pass(5);
    only(net.send(client, toVip(40_000, 80, ACK)), far);
    assertEquals(1, net.stats("m1").activeConnections());

    net.table(s2).apply(BalancerNetwork.FACTORY.buildFlowDelete().setTableId(TableId.ALL).build());
    net.activate(s2);
    net.explore(s2);
    net.pass(5);
    only(net.send(client, toVip(40_000, 80, ACK)), far);
  }

  @Test
  void switchThatIsDisconnectedForLong_goesOnForwarding() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.disconnect(s2);
    net.pass(10);
    only(net.send(client, toVip(40_000, 80, ACK)), far);
    assertEquals(1, net.stats("m1").activeConnections());
  }

  @Test
  void connectionThatIsReactivatedWhileItsServersSwitchIsAway_isNotReset() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.send(client, toVip(40_000, 80, ACK));
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.disconnect(s3);
    net.forgetLinks(s3);

    assertEquals(List.of(), net.send(client, toVip(40_000, 80, ACK)));

    net.reconnect(s3);
    net.learnLink(s2, 2, s3, 1);
    net.explore(s3);
    net.pass(5);
    only(net.send(client, toVip(40_000, 80, ACK)), far);
  }

  @Test
  void switchThatComesBack_keepsItsConnectionsWhileItsLinksAreNotFoundYet() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.disconnect(s2);
    net.reconnect(s2);
    net.pass(1);
    assertEquals(1, net.stats("m1").activeConnections());
    net.explore(s2);
    net.pass(5);
    only(net.send(client, toVip(40_000, 80, ACK)), far);
  }

  @Test
  void switchThatComesBackWithoutItsLinks_losesItsConnections() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.disconnect(s2);
    net.reconnect(s2);
    net.pass(10);
    assertEquals(0, net.stats("m1").activeConnections());
  }

  /** A second way from s1 to s3. */
  private DatapathId detour() {
    DatapathId s4 = net.addSwitch(4);
    net.link(s1, 4, s4, 1);
    net.link(s4, 2, s3, 4);
    return s4;
  }

  @Test
  void brokenLink_movesOpenConnectionsWithoutThePacketsNoticing() {
    DatapathId s4 = detour();
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    assertEquals(2, net.rules(s2, CookieKind.LABEL).size());
    List<FakeRule> atTheEdge = net.rules(s1, CookieKind.REQUEST);

    net.unlink(s1, 2);
    net.passMillis(50); // in which rules that name the port are changed

    net.network.setController(
        (switchId, port, output) -> fail("missed in table " + output.table()));
    only(net.send(client, toVip(40_000, 80, ACK)), far);
    only(net.send(far, fromMember(far, 8_080, 40_000)), client);
    if (profile != SwitchProfile.ONE_TABLE) {
      assertEquals(
          atTheEdge, net.rules(s1, CookieKind.REQUEST), "no rule of a connection was touched");
    }
    assertEquals(2, net.rules(s4, CookieKind.LABEL).size());
    assertEquals(List.of(), net.rules(s2, CookieKind.LABEL), "the old way is cleared");
  }

  @Test
  void brokenLinkWithoutAnotherWay_endsTheConnectionAndResetsItsClient() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));

    net.unlink(s2, 2);

    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertEquals(0, net.stats("m1").activeConnections());
    Packet reset = only(net.send(client, toVip(40_000, 80, ACK)), client);
    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
  }

  @Test
  void repairedPath_isUsedByNewConnectionsAndGoesWhenUnused() {
    detour();
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    net.unlink(s1, 2);

    only(net.send(client, toVip(40_001, 80, SYN)), far);

    assertEquals(2, net.module.paths().stream().filter(path -> path.connections() == 2).count());
    net.delete(Catalog.MEMBERS, "m1");
    net.pass(31);
    assertEquals(List.of(), net.module.paths());
  }

  /** How many active connections the links have together, by the switches that they join. */
  private Map<String, Integer> activeOnLinks() {
    Map<String, Integer> active = new TreeMap<>();
    for (LinkStats link : net.module.links()) {
      active.merge(
          link.link().src().getLong() + ">" + link.link().dst().getLong(),
          link.active(),
          Integer::sum);
    }
    return active;
  }

  @Test
  void links_countTheConnectionsOnThemThatHaveNotEnded() {
    assumeEndsAreTold();
    net.learn(far);
    net.webService(far);
    for (int port = 40_000; port < 40_003; port++) {
      net.send(client, toVip(port, 80, SYN));
      net.send(client, toVip(port, 80, ACK));
    }
    assertEquals(Map.of("1>2", 3, "2>1", 3, "2>3", 3, "3>2", 3), activeOnLinks());

    net.send(client, toVip(40_000, 80, Packet.TCP_FIN | ACK));
    net.send(client, toVip(40_000, 80, Packet.TCP_RST));
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(1));
    assertEquals(Map.of("1>2", 1, "2>1", 1, "2>3", 1, "3>2", 1), activeOnLinks());

    net.send(client, toVip(40_000, 80, SYN)); // used again while its rules are there
    net.send(client, toVip(40_001, 80, ACK)); // goes on
    assertEquals(Map.of("1>2", 3, "2>1", 3, "2>3", 3, "3>2", 3), activeOnLinks());

    net.delete(Catalog.MEMBERS, "m1");
    assertEquals(Map.of("1>2", 0, "2>1", 0, "2>3", 0, "3>2", 0), activeOnLinks());
  }

  @Test
  void brokenLink_movesTheCountsOfItsConnectionsToTheOtherWay() {
    detour();
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    Map<String, Integer> before = activeOnLinks();
    assertEquals(1, before.get("1>2"));
    net.unlink(s1, 2);

    Map<String, Integer> after = activeOnLinks();
    assertEquals(null, after.get("1>2"));
    assertEquals(
        1,
        after.entrySet().stream()
            .filter(e -> e.getKey().startsWith("1>"))
            .mapToInt(Map.Entry::getValue)
            .sum());
  }

  @Test
  void hostThatMoves_isReachedAtItsNewPlace() {
    net.learn(far);
    net.webService(far);
    net.send(client, toVip(40_000, 80, SYN));
    Host moved = new Host(s2, 4, far.mac(), far.ip());
    net.learn(moved);

    only(net.send(client, toVip(40_001, 80, SYN)), moved);
  }

  @Test
  void clientThatNobodyKnows_isAskedForAndItsPacketWaits() {
    net.learn(far);
    net.webService(far);
    net.delivered.clear();
    // it comes in where another switch is, so it does not tell where the client is
    byte[] syn = toVip(40_000, 80, SYN);
    List<Delivery> asked = net.network.inject(s2, 1, syn);
    assertTrue(asked.stream().anyMatch(delivery -> isArp(delivery.frame())));

    net.delivered.clear();
    net.learn(client);

    only(net.delivered, far);
    only(net.send(far, fromMember(far, 8_080, 40_000)), client);
  }

  @Test
  void connectionThatCannotBeWoken_isRefused() {
    BalancerNetwork small = network(Map.of("maxConnections", "1"));
    DatapathId sw = small.addSwitch(1);
    Host from = Host.of(sw, 1, "10.0.0.1");
    Host to = Host.of(sw, 2, "10.0.0.11");
    small.learn(to);
    small.webService(to);
    only(small.send(from, toVip(40_000, 80, SYN)), to);
    only(small.send(from, toVip(40_000, 80, ACK)), to);
    small.timeOut(sw, small.rules(sw, CookieKind.REQUEST).get(0));
    only(small.send(from, toVip(40_001, 80, SYN)), to);

    Packet reset = only(small.send(from, toVip(40_000, 80, ACK)), from);

    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, small.refused(RejectReason.LIMIT));
  }

  @Test
  void connectionLimit_refusesWhatIsBeyond() {
    BalancerNetwork small = network(Map.of("maxConnections", "2"));
    DatapathId sw = small.addSwitch(1);
    Host from = Host.of(sw, 1, "10.0.0.1");
    Host to = Host.of(sw, 2, "10.0.0.11");
    small.learn(to);
    small.webService(to);

    only(small.send(from, toVip(40_000, 80, SYN)), to);
    only(small.send(from, toVip(40_001, 80, SYN)), to);
    Packet reset = only(small.send(from, toVip(40_002, 80, SYN)), from);

    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertEquals(1, small.refused(RejectReason.LIMIT));
  }
}
