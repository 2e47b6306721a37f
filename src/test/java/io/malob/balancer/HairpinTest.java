package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Connections whose ends are behind one port of a switch. */
class HairpinTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final Host neighbour = Host.of(s1, 1, "10.0.0.1");
  private final Host other = Host.of(s1, 2, "10.0.0.2");
  private final Host member = Host.of(s1, 1, "10.0.0.11");

  HairpinTest(SwitchProfile profile) {
    super(profile);
    List.of(neighbour, other, member).forEach(net::learn);
    net.webService(member);
  }

  private List<Delivery> send(Host client, int port, int flags) {
    return net.send(
        client,
        Frames.tcp(client.mac(), EdgeMac.of(client.switchId()), client.ip(), port, VIP, 80, flags));
  }

  /** Others reach the member by another port all the time. */
  @Test
  void connection_thatBeginsWhenTheRulesOfItsPortAreAboutToExpire_goesOn() {
    for (int seconds = 0; seconds < 299; seconds++) {
      if (seconds % 5 == 0) {
        assertEquals(1, send(other, 40_000, seconds == 0 ? Packet.TCP_SYN : Packet.TCP_ACK).size());
      }
      net.pass(1);
      net.expire();
    }
    assertEquals(1, send(neighbour, 40_001, Packet.TCP_SYN).size());
    for (int seconds = 0; seconds < 5; seconds++) {
      net.pass(1);
      net.expire();
      assertEquals(1, send(neighbour, 40_001, Packet.TCP_ACK).size(), "after s: " + seconds);
      net.pass(3);
      net.expire();
    }
  }
}
