package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Two subnets, each in a VLAN and with a gateway of its own, that are on one router with a MAC
 * address per subnet. The VIP is in the client's subnet.
 *
 * <pre>
 *  client  --1 s1 2---1 s2 2-- member
 *  gateway --3            3-- gateway of the member
 * </pre>
 */
class VlanSubnetsTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.1.0.100");
  private static final int CLIENTS = 100;
  private static final int MEMBERS = 200;
  private static final int PORT = 40_000;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.1.0.5");
  private final Host gateway = Host.of(s1, 3, "10.1.0.1");
  private final Host member = Host.of(s2, 2, "10.2.0.11");
  private final Host membersGateway = Host.of(s2, 3, "10.2.0.1");

  VlanSubnetsTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.create(
        Catalog.VIPS,
        "id",
        "v",
        "protocol",
        "tcp",
        "address",
        VIP.toString(),
        "port",
        "80",
        "vlan",
        "" + CLIENTS);
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    net.create(
        Catalog.MEMBERS,
        "id",
        "m",
        "address",
        member.address().toString(),
        "pool_id",
        "p",
        "vlan",
        "" + MEMBERS);
    net.learn(gateway, CLIENTS);
    net.learn(member, MEMBERS);
    net.learn(membersGateway, MEMBERS);
  }

  private static byte[] request(MacAddress from, IPv4Address address, int flags) {
    MacAddress edge = EdgeMac.of(DatapathId.of(1));
    return Frames.tagged(Frames.tcp(from, edge, address, PORT, VIP, 80, flags), CLIENTS);
  }

  /** The member has no other next hop than its gateway. */
  private byte[] reply(IPv4Address to, int flags) {
    return Frames.tagged(
        Frames.tcp(member.mac(), membersGateway.mac(), member.ip(), 80, to, PORT, flags), MEMBERS);
  }

  private static Packet only(List<Delivery> deliveries, Host at, int vlan) {
    assertEquals(1, deliveries.size(), deliveries.toString());
    assertEquals(at.switchId(), deliveries.get(0).switchId());
    assertEquals(at.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(vlan, packet.vlan());
    return packet;
  }

  private void assertIsServed(Host nextHop, IPv4Address address) {
    for (int flags : new int[] {Packet.TCP_SYN, Packet.TCP_ACK, Packet.TCP_ACK}) {
      Packet request =
          only(net.send(nextHop, request(nextHop.mac(), address, flags)), member, MEMBERS);
      assertEquals(member.mac(), request.dstMac());
      Packet reply =
          only(net.send(member, reply(address, flags | Packet.TCP_ACK)), nextHop, CLIENTS);
      assertEquals(VIP, reply.source());
      assertEquals(nextHop.mac(), reply.dstMac());
    }
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void reply_leavesByTheNextHopOfItsClient_andNotByTheGatewayOfItsMember() {
    net.learn(client, CLIENTS);
    assertIsServed(client, client.ip());
  }

  @Test
  void reply_toAClientBehindTheGateway_leavesByThatGateway() {
    assertIsServed(gateway, IPv4Address.of("192.168.7.9"));
  }

  /** Its rules are lost: the member's gateway would drop it, or send it untranslated. */
  @Test
  void replyWithoutARule_leavesByTheNextHopOfItsClient() {
    net.learn(client, CLIENTS);
    assertIsServed(client, client.ip());
    net.table(s2).clear();
    Packet reply = only(net.send(member, reply(client.ip(), Packet.TCP_ACK)), client, CLIENTS);
    assertEquals(VIP, reply.source());
  }
}
