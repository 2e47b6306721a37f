package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** The setting by which switches do not copy clients' FIN and RST to the controller. */
class TellEndsTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final Map<String, String> NOT_TOLD = Map.of("tellEnds", "false");

  private final BalancerNetwork net = new BalancerNetwork(NOT_TOLD);
  private final DatapathId s1 = net.addSwitch(1);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s1, 2, "10.0.0.11");

  private List<Delivery> send(BalancerNetwork network, int srcPort, int flags) {
    return network.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  private static long copyingRules(BalancerNetwork network, DatapathId switchId) {
    return network.rules(switchId, 0).stream()
        .filter(rule -> Cookie.is(rule.cookie(), CookieKind.END))
        .count();
  }

  private void serve(BalancerNetwork network) {
    network.learn(member);
    network.webService(member);
  }

  @Test
  void finOfAClient_doesNotComeToTheController_andTheConnectionCountsUntilItsRulesEnd() {
    serve(net);
    send(net, 40_000, Packet.TCP_SYN);

    assertEquals(1, send(net, 40_000, Packet.TCP_FIN | Packet.TCP_ACK).size());

    assertEquals(0, copyingRules(net, s1));
    assertFalse(net.module.endsAreTold());
    assertEquals(1, net.stats("m1").activeConnections());
    net.timeOut(s1, net.rules(s1, 1).get(0));
    assertEquals(0, net.stats("m1").activeConnections());
  }

  @Test
  void synOnThePortOfAConnectionWhoseRulesAreThere_staysWithTheirMember() {
    Host other = Host.of(s1, 3, "10.0.0.12");
    net.learn(member);
    net.learn(other);
    net.webService(member, other);
    send(net, 40_000, Packet.TCP_SYN);
    send(net, 40_000, Packet.TCP_FIN | Packet.TCP_ACK);

    List<Delivery> delivered = send(net, 40_000, Packet.TCP_SYN);

    assertEquals(member.port(), delivered.get(0).port().getPortNumber());
    assertEquals(1, net.stats("m1").totalConnections());
    assertEquals(0, net.stats("m2").totalConnections());
    assertEquals(Map.of("m1", 1L), net.module.totalConnections());
  }

  @Test
  void rulesOfAnEarlierRunWithOtherSettings_areTakenAway() {
    BalancerNetwork before = new BalancerNetwork();
    DatapathId sw = before.addSwitch(1);
    serve(before);
    assertEquals(2, copyingRules(before, sw));

    BalancerNetwork after = before.restarted(NOT_TOLD);
    after.webService(member);
    after.addSwitch(1);
    assertEquals(0, copyingRules(after, sw));

    BalancerNetwork again = after.restarted(Map.of());
    again.webService(member);
    again.addSwitch(1);
    assertEquals(2, copyingRules(again, sw));
    assertTrue(again.module.endsAreTold());
  }
}
