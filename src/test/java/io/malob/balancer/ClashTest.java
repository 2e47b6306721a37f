package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
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
 * Connections that a member could not tell from each other, and those that go back where they came
 * from: the VIPs A and B have the same members.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member 1
 *               member 2 --3 |
 * </pre>
 */
class ClashTest extends OnEachProfile {
  private static final IPv4Address A = IPv4Address.of("10.0.0.100");
  private static final IPv4Address B = IPv4Address.of("10.0.0.101");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;
  private static final int PORT = 40_000;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host first = Host.of(s2, 2, "10.0.0.11");
  private final Host second = Host.of(s2, 3, "10.0.0.12");

  ClashTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(client);
  }

  private void services(Host... members) {
    List.of(members).forEach(net::learn);
    for (IPv4Address vip : List.of(A, B)) {
      net.create(
          Catalog.VIPS,
          "id",
          "v" + vip,
          "protocol",
          "tcp",
          "address",
          vip.toString(),
          "port",
          "80");
      net.create(Catalog.POOLS, "id", "p" + vip, "vip_id", "v" + vip);
      for (Host member : members) {
        String id = vip + "-" + member.ip();
        net.create(
            Catalog.MEMBERS, "id", id, "address", member.ip().toString(), "pool_id", "p" + vip);
      }
    }
  }

  private List<Delivery> send(Host from, IPv4Address vip, int flags) {
    return net.send(
        from, Frames.tcp(from.mac(), EdgeMac.of(from.switchId()), from.ip(), PORT, vip, 80, flags));
  }

  private List<Delivery> reply(Host member) {
    return net.send(
        member, Frames.tcp(member.mac(), client.mac(), member.ip(), 80, client.ip(), PORT, ACK));
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(receiver.mac(), packet.dstMac());
    return packet;
  }

  private void expire(IPv4Address vip) {
    FakeRule request =
        net.rules(s1, CookieKind.REQUEST).stream()
            .filter(rule -> rule.match().toString().contains("ipv4_dst=" + vip + ","))
            .findFirst()
            .orElseThrow();
    net.timeOut(s1, request);
  }

  @Test
  void secondVip_choosesAnotherMember_inEitherOrder() {
    services(first, second);
    only(send(client, B, SYN), first);

    only(send(client, A, SYN), second);

    assertEquals(B.getInt(), only(reply(first), client).srcAddress());
    assertEquals(A.getInt(), only(reply(second), client).srcAddress());
  }

  @Test
  void secondVipWithNoOtherMember_isRefusedAndCounted_inEitherOrder() {
    assumeEndsAreTold();
    services(first);
    for (List<IPv4Address> order : List.of(List.of(A, B), List.of(B, A))) {
      only(send(client, order.get(0), SYN), first);

      Packet reset = only(send(client, order.get(1), SYN), client);

      assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
      only(send(client, order.get(0), ACK), first);
      only(send(client, order.get(0), FIN | ACK), first);
    }
    assertEquals(2, net.refused(RejectReason.NO_DISTINCT_MEMBER));
  }

  @Test
  void clashThatIsOver_leavesTheMemberToTheOtherVip() {
    assumeEndsAreTold();
    services(first);
    only(send(client, A, SYN), first);
    only(send(client, A, FIN | ACK), first);

    only(send(client, B, SYN), first);

    assertEquals(B.getInt(), only(reply(first), client).srcAddress());
    assertEquals(0, net.stats(A + "-" + first.ip()).activeConnections());
    assertEquals(1, net.stats(B + "-" + first.ip()).activeConnections());
    assertTrue(only(send(client, A, ACK), client).hasTcpFlags(Packet.TCP_RST));
  }

  @Test
  void dormantConnection_keepsItsMemberAsLongAsThereIsAnother() {
    services(first, second);
    only(send(client, A, SYN), first);
    expire(A);

    only(send(client, B, SYN), second);

    only(send(client, A, ACK), first);
  }

  @Test
  void dormantConnection_givesWayWhereThereIsNoOther() {
    services(first);
    only(send(client, A, SYN), first);
    expire(A);

    only(send(client, B, SYN), first);

    assertEquals(B.getInt(), only(reply(first), client).srcAddress());
    assertTrue(only(send(client, A, ACK), client).hasTcpFlags(Packet.TCP_RST));
    assertEquals(0, net.refused(RejectReason.NO_DISTINCT_MEMBER));
  }

  @Test
  void memberThatIsAClient_isGivenAnotherAndNeverItself() {
    services(first, second);
    for (int i = 0; i < 4; i++) {
      int port = PORT + i;
      byte[] syn =
          Frames.tcp(first.mac(), EdgeMac.of(first.switchId()), first.ip(), port, A, 80, SYN);
      only(net.send(first, syn), second);
    }
    byte[] answer =
        Frames.tcp(second.mac(), first.mac(), second.ip(), 80, first.ip(), PORT, SYN | ACK);

    assertEquals(A.getInt(), only(net.send(second, answer), first).srcAddress());
  }

  @Test
  void neighbourBehindTheClientsPort_isTakenOnlyWhereThereIsNoOther() {
    Host neighbour = Host.of(s1, 1, "10.0.0.13");
    services(neighbour, second);

    only(send(client, A, SYN), second);
    only(send(client, B, SYN), neighbour);
  }
}
