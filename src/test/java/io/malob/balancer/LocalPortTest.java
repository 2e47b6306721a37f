package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** A client, and then a member, that are a switch itself, at its port LOCAL. */
class LocalPortTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final MacAddress VIP_MAC = MacAddress.of("02:00:00:00:00:99");
  private static final int LOCAL = OFPort.LOCAL.getPortNumber();

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);

  LocalPortTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 2);
  }

  private void assertServed(Host client, Host member) {
    net.learn(member);
    net.webService(member);
    assertDelivered(member, net.send(client, toVip(client, Packet.TCP_SYN)));
    net.network.setController(
        (switchId, port, output) -> fail("missed in table " + output.table()));
    assertDelivered(member, net.send(client, toVip(client, Packet.TCP_ACK)));
    byte[] reply =
        Frames.tcp(
            member.mac(), client.mac(), member.ip(), 8_080, client.ip(), 40_000, Packet.TCP_ACK);
    Packet atClient = assertDelivered(client, net.send(member, reply));
    assertEquals(VIP.getInt(), atClient.srcAddress());
  }

  private static byte[] toVip(Host client, int flags) {
    return Frames.tcp(client.mac(), VIP_MAC, client.ip(), 40_000, VIP, 80, flags);
  }

  private static Packet assertDelivered(Host receiver, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(OFPort.of(receiver.port()), deliveries.get(0).port());
    return Packet.parse(deliveries.get(0).frame());
  }

  @Test
  void client_atLocal_isServed() {
    assertServed(Host.of(s1, LOCAL, "10.0.0.1"), Host.of(s2, 1, "10.0.0.11"));
  }

  @Test
  void member_atLocal_serves() {
    assertServed(Host.of(s1, 1, "10.0.0.1"), Host.of(s2, LOCAL, "10.0.0.11"));
  }

  @Test
  void bothAtLocalOfOneSwitch_getItBack() {
    assertServed(Host.of(s1, LOCAL, "10.0.0.1"), Host.of(s1, LOCAL, "10.0.0.11"));
    assertTrue(net.passedOn.isEmpty());
  }
}
