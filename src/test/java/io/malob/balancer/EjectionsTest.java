package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Members that nobody checks, and that do not answer their clients.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member 1 (m1)
 *                       3 |
 *                       member 2 (m2)
 * </pre>
 */
class EjectionsTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int MEMBER_PORT = 8_080;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host first = Host.of(s2, 2, "10.0.0.11");
  private final Host second = Host.of(s2, 3, "10.0.0.12");
  private int nextPort = 40_000;

  EjectionsTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(first);
    net.learn(second);
  }

  private List<Delivery> request(int srcPort, int flags) {
    return net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  private Host open(int srcPort) {
    return request(srcPort, Packet.TCP_SYN).get(0).port().getPortNumber() == first.port()
        ? first
        : second;
  }

  private void answer(Host member, int srcPort) {
    List<Delivery> unused =
        net.send(
            member,
            Frames.tcp(
                member.mac(),
                client.mac(),
                member.ip(),
                MEMBER_PORT,
                client.ip(),
                srcPort,
                Packet.TCP_SYN | Packet.TCP_ACK));
  }

  /** A connection to each of two members. The SYNs come again after a second; some answer. */
  private void openBoth(Host... silent) {
    int from = nextPort;
    nextPort += 2;
    for (int i = 0; i < 2; i++) {
      for (int port = from; port < nextPort; port++) {
        Host member = open(port);
        if (!List.of(silent).contains(member)) {
          answer(member, port);
        }
      }
      net.pass(1);
    }
    net.pass(1);
  }

  private Health health(String member) {
    return net.stats(member).health();
  }

  @Test
  void memberThatLeavesThreeClientsWithoutAnAnswer_isLeftOutForAWhile() {
    net.webService(first, second);
    openBoth(first);
    openBoth(first);
    assertEquals(Health.UNCHECKED, health("m1"));

    openBoth(first);

    assertEquals(Health.EJECTED, health("m1"));
    assertEquals(Health.UNCHECKED, health("m2"));
    assertEquals("no_reply", net.module.ejected().get("m1").why());
    assertEquals(1, net.module.ejections().get("no_reply"));
    for (int port = 50_000; port < 50_004; port++) {
      assertEquals(second, open(port));
    }
    assertEquals(
        Optional.of(ExplainedConnection.Exclusion.EJECTED),
        net.module
            .explain(client.ip(), VIP, Protocol.TCP, 80, OptionalInt.empty())
            .orElseThrow()
            .candidates()
            .get(0)
            .excluded());

    net.pass(30);

    assertEquals(Health.UNCHECKED, health("m1"));
    assertEquals(Map.of(), net.module.ejected());
    assertTrue(open(50_010).equals(first) || open(50_011).equals(first));
  }

  /** The client's SYN comes again because the answer was lost behind the rule. */
  @Test
  void memberThatAnswers_isNotLeftOut() {
    net.webService(first, second);

    for (int i = 0; i < 5; i++) {
      openBoth();
    }

    assertEquals(Map.of(), net.module.ejected());
  }

  @Test
  void connectionThatEndsWell_isGoodForFailuresBefore() {
    assumeEndsAreTold();
    net.webService(first, second);
    openBoth(first);
    openBoth(first);

    Host one = open(50_000);
    Host other = open(50_001);
    assertTrue(one.equals(first) || other.equals(first));
    answer(first, one.equals(first) ? 50_000 : 50_001);
    request(50_000, Packet.TCP_FIN | Packet.TCP_ACK);
    request(50_001, Packet.TCP_FIN | Packet.TCP_ACK);
    net.pass(1);
    openBoth(first);

    assertEquals(Map.of(), net.module.ejected());
  }

  @Test
  void moreThanHalfOfAPool_isNeverLeftOut() {
    net.webService(first, second);

    for (int i = 0; i < 3; i++) {
      openBoth(first, second);
    }

    assertEquals(2, net.module.ejected().size());
    assertEquals(Health.UNCHECKED, health("m1"));
    assertEquals(Health.UNCHECKED, health("m2"));
    open(50_000);
    open(50_001);
    assertEquals(net.stats("m1").totalConnections(), net.stats("m2").totalConnections());
  }

  @Test
  void memberWhoseAgentGetsNoAnswer_isLeftOut() {
    net.webService(first, second);

    for (int i = 0; i < 3; i++) {
      net.servers.report(
          first.ip(),
          new ServerTracker.Report(
              ImmutableMap.of(ServerValue.CPU, 0.5),
              Optional.of(false),
              ImmutableMap.of(),
              net.nanoTime.get()));
    }

    assertEquals(Health.EJECTED, health("m1"));
    assertEquals("refuses", net.module.ejected().get("m1").why());
  }

  /** Somebody sends what no server answers, such as SYNs with a wrong checksum. */
  @Test
  void memberThatAcceptsTcpChecks_isNotLeftOut() {
    net.webService(first, second);
    net.create(Catalog.MONITORS, "pool_id", "p", "type", "TCP", "delay", "2", "timeout", "2");

    for (int i = 0; i < 4; i++) {
      net.delivered.clear();
      openBoth(first);
      for (Delivery each : List.copyOf(net.delivered)) {
        Packet packet = Packet.parse(each.frame());
        if (packet.isTcpSyn() && packet.srcAddress() == VIP.getInt()) {
          acceptCheck(each);
        }
      }
      net.pass(1);
    }

    assertEquals(Health.UP, health("m1"));
  }

  private void acceptCheck(Delivery check) {
    Host member = check.port().getPortNumber() == first.port() ? first : second;
    List<Delivery> unused = net.send(member, Frames.synAck(member.mac(), check.frame()));
  }
}
