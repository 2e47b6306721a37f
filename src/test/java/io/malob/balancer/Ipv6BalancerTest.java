package io.malob.balancer;

import static io.malob.balancer.BalancerNetwork.FACTORY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.IpFamily;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.U8;

/**
 * A reactive VIP over IPv6, in all that IPv4 does not show: keys of addresses, ICMPv6, and rules.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2---1 s3 2-- member
 * </pre>
 */
class Ipv6BalancerTest extends OnEachProfile {
  private static final IPv6Address VIP = IPv6Address.of("2001:db8::64");
  private static final MacAddress VIP_MAC = EdgeMac.of(DatapathId.of(1));
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final byte[] DATA = {1, 2, 3};

  private BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final Host client = Host.of(s1, 1, "2001:db8::1");
  private final Host member = Host.of(s3, 2, "2001:db8::11");
  private final Ipv6Frames toVip =
      new Ipv6Frames(client.mac(), VIP_MAC, IPv6Address.of("2001:db8::1"), VIP);
  private final Ipv6Frames toClient =
      new Ipv6Frames(
          member.mac(),
          client.mac(),
          IPv6Address.of("2001:db8::11"),
          IPv6Address.of("2001:db8::1"));

  Ipv6BalancerTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void configure() {
    service("web", "tcp", "80", "8080");
    service("dns", "udp", "53", "5353");
    service("ping", "icmp", "128", "");
    net.link(s1, 2, s2, 1);
    net.link(s2, 2, s3, 1);
    net.learn(member);
  }

  private void restart() {
    net = net.restarted();
    configure();
    net.learn(client);
    for (int id = 1; id <= 3; id++) {
      net.addSwitch(id);
    }
  }

  private void service(String name, String protocol, String port, String memberPort) {
    net.create(
        Catalog.VIPS, "id", name, "protocol", protocol, "address", VIP.toString(), "port", port);
    net.create(Catalog.POOLS, "id", name, "vip_id", name);
    net.create(
        Catalog.MEMBERS,
        "id",
        name,
        "address",
        member.address().toString(),
        "pool_id",
        name,
        memberPort.isEmpty() ? "weight" : "port",
        memberPort.isEmpty() ? "1" : memberPort);
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    Delivery delivery = deliveries.get(0);
    assertEquals(receiver.switchId(), delivery.switchId());
    assertEquals(receiver.port(), delivery.port().getPortNumber());
    Packet packet = Packet.parse(delivery.frame());
    assertEquals(receiver.mac(), packet.dstMac());
    assertEquals(receiver.address(), packet.destination());
    return packet;
  }

  private void expectNoController() {
    net.network.setController(
        (switchId, port, output) -> fail(switchId + " missed in table " + output.table()));
  }

  private void assertGoesBothWays() {
    Packet request = only(net.send(client, toVip.tcp(40_000, 80, ACK)), member);
    assertEquals(8_080, request.dstPort());
    Packet reply = only(net.send(member, toClient.tcp(8_080, 40_000, ACK)), client);
    assertEquals(VIP, reply.source());
    assertEquals(VIP_MAC, reply.srcMac());
    assertEquals(80, reply.srcPort());
  }

  @Test
  void tcpConnection_goesBothWaysByItsRules() {
    only(net.send(client, toVip.tcp(40_000, 80, SYN)), member);
    expectNoController();
    assertGoesBothWays();
  }

  @Test
  void udpFlow_goesBothWaysByItsRules() {
    assertEquals(5_353, only(net.send(client, toVip.udp(40_000, 53, DATA)), member).dstPort());
    expectNoController();
    only(net.send(client, toVip.udp(40_000, 53, DATA)), member);
    Packet reply = only(net.send(member, toClient.udp(5_353, 40_000, DATA)), client);
    assertEquals(53, reply.srcPort());
    assertEquals(VIP, reply.source());
  }

  @Test
  void ping_isBalanced_andOtherIcmpIsNot() {
    assertTrue(only(net.send(client, toVip.icmp(128, 64, 1, DATA)), member).isEchoRequest());
    expectNoController();
    Packet reply = only(net.send(member, toClient.icmp(129, 64, 1, DATA)), client);
    assertTrue(reply.isEchoReply());
    assertEquals(VIP, reply.source());
  }

  @Test
  void errorAboutAPacketOfAConnection_reachesItsSender_besideAPing() {
    byte[] atMember = only(net.send(client, toVip.tcp(40_000, 80, SYN)), member).frame();
    byte[] atClient = only(net.send(member, toClient.tcp(8_080, 40_000, ACK)), client).frame();
    only(net.send(client, toVip.icmp(128, 64, 1, DATA)), member);
    only(net.send(member, toClient.icmp(129, 64, 1, DATA)), client);

    Packet toMember = only(net.send(client, toVip.icmp(2, 64, 1_280, quote(atClient))), member);
    Packet answer = only(net.send(member, toClient.icmp(2, 64, 1_280, quote(atMember))), client);

    assertEquals(member.address(), quotedBy(toMember).source());
    assertEquals(VIP, quotedBy(answer).destination());
  }

  private static byte[] quote(byte[] frame) {
    return Arrays.copyOfRange(frame, 14, frame.length);
  }

  private static QuotedPacket quotedBy(Packet error) {
    return QuotedPacket.of(error).orElseThrow();
  }

  @Test
  void connection_isRecoveredFromItsRules_afterARestart() {
    net.send(client, toVip.tcp(40_000, 80, SYN));
    net.send(client, toVip.icmp(128, 64, 1, DATA));
    restart();
    net.pass(10);
    assertEquals(2, net.module.counters().openConnections());
    expectNoController();
    assertGoesBothWays();
  }

  /** A rule of an earlier version takes errors, too: it makes way for one of this version. */
  @Test
  void ruleForAllIcmp_isReplaced_afterARestart() {
    net.send(client, toVip.icmp(128, 64, 1, DATA));
    FakeRule rule = net.rules(s3, CookieKind.REPLY).get(0);
    lose(rule);
    net.table(s3)
        .apply(
            FACTORY
                .buildFlowAdd()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setCookie(rule.cookie())
                .setIdleTimeout(rule.idleTimeout())
                .setInstructions(rule.instructions())
                .setMatch(
                    IpFamily.matchBetween(
                            FACTORY, IpProtocol.IPv6_ICMP, member.address(), client.address())
                        .build())
                .build());

    restart();
    net.pass(10);
    only(net.send(client, toVip.icmp(128, 64, 1, DATA)), member);
    only(net.send(member, toClient.icmp(129, 64, 1, DATA)), client);

    List<FakeRule> rules = net.rules(s3, CookieKind.REPLY);
    assertEquals(1, rules.size());
    assertEquals(U8.of((short) 129), rules.get(0).match().get(MatchField.ICMPV6_TYPE));
    expectNoController();
    only(net.send(member, toClient.icmp(129, 64, 1, DATA)), client);
  }

  private void lose(FakeRule rule) {
    net.table(s3)
        .apply(
            FACTORY
                .buildFlowDeleteStrict()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setMatch(rule.match())
                .build());
  }

  @Test
  void firstFragment_isDroppedAndCounted() {
    byte[] fragment = toVip.fragment(17, 0, true, new byte[64]);
    assertEquals(List.of(), net.send(client, fragment));
    assertEquals(1, net.refused(RejectReason.FRAGMENT));
  }

  @Test
  void segmentOfAnUnknownConnection_isReset() {
    Packet reset = only(net.send(client, toVip.tcp(40_001, 80, ACK)), client);
    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
    assertTrue(Ipv6Frames.hasRightChecksum(reset.frame()));
    assertEquals(VIP, reset.source());
  }

  @Test
  void clientThatTheVipDoesNotAllow_isDroppedByItsSwitch() {
    net.delete(Catalog.MEMBERS, "web");
    net.delete(Catalog.POOLS, "web");
    net.delete(Catalog.VIPS, "web");
    net.create(
        Catalog.VIPS,
        "id",
        "web",
        "protocol",
        "tcp",
        "address",
        VIP.toString(),
        "port",
        "80",
        "allowed_sources",
        "2001:db8:1::/48");
    net.create(Catalog.POOLS, "id", "web", "vip_id", "web");
    assertEquals(List.of(), net.send(client, toVip.tcp(40_000, 80, SYN)));
    assertEquals(1, net.refused(RejectReason.NOT_ALLOWED));
    expectNoController();
    assertEquals(List.of(), net.send(client, toVip.tcp(40_001, 80, SYN)));
  }
}
