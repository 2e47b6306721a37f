package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Which connections are forgotten when more are dormant than the controller keeps. */
class DormantConnectionsLimitTest extends OnEachProfile {
  private static final int MAX_DORMANT = 20;
  private static final int IDLE_PORT = 40_000;
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final IPv4Address OTHER_VIP = IPv4Address.of("10.0.0.101");

  private final PolicyFixture fixture =
      new PolicyFixture(network(Map.of("maxDormant", String.valueOf(MAX_DORMANT))));
  private final BalancerNetwork net = fixture.net;

  DormantConnectionsLimitTest(SwitchProfile profile) {
    super(profile);
  }

  private List<Delivery> send(BalancerNetwork.Host from, IPv4Address vip, int srcPort, int flags) {
    return net.send(
        from,
        Frames.tcp(from.mac(), EdgeMac.of(from.switchId()), from.ip(), srcPort, vip, 80, flags));
  }

  private List<Delivery> datagram(int srcPort) {
    return net.send(
        fixture.client,
        Frames.udp(
            fixture.client.mac(),
            EdgeMac.of(fixture.client.switchId()),
            fixture.client.ip(),
            srcPort,
            OTHER_VIP,
            53,
            new byte[3]));
  }

  private void answer(int clientPort) {
    net.send(
        fixture.first,
        Frames.udp(
            fixture.first.mac(),
            fixture.client.mac(),
            fixture.first.ip(),
            53,
            fixture.client.ip(),
            clientPort,
            new byte[9]));
  }

  private void openAndSend(BalancerNetwork.Host from, IPv4Address vip, int srcPort) {
    assertEquals(1, send(from, vip, srcPort, SYN).size());
    assertEquals(1, send(from, vip, srcPort, ACK).size());
  }

  /** All rules expire. */
  private void fallSilent() {
    net.pass(21);
    net.expire();
  }

  private void createOtherVip(String protocol, String port) {
    net.create(
        Catalog.VIPS,
        "id",
        "o",
        "protocol",
        protocol,
        "address",
        OTHER_VIP.toString(),
        "port",
        port);
    net.create(Catalog.POOLS, "id", "q", "vip_id", "o");
    net.create(
        Catalog.MEMBERS, "id", "n", "address", fixture.first.ip().toString(), "pool_id", "q");
  }

  private void assertGoesOn(BalancerNetwork.Host from) {
    List<Delivery> out = send(from, PolicyFixture.VIP, IDLE_PORT, ACK);
    assertEquals(1, out.size());
    assertEquals(fixture.s2, out.get(0).switchId(), "no reset");
  }

  @Test
  void synsWithoutMore_displaceNoConnectionThatItsClientHasGoneOnWith() {
    openAndSend(fixture.client, PolicyFixture.VIP, IDLE_PORT);
    fallSilent();
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < MAX_DORMANT; i++) {
        send(fixture.other, PolicyFixture.VIP, 1_000 + round * MAX_DORMANT + i, SYN);
      }
      fallSilent();
    }
    assertGoesOn(fixture.client);
  }

  @Test
  void connectionsOfOneClient_displaceNoneOfAnother() {
    openAndSend(fixture.client, PolicyFixture.VIP, IDLE_PORT);
    fallSilent();
    for (int i = 0; i < 5 * MAX_DORMANT; i++) {
      openAndSend(fixture.other, PolicyFixture.VIP, 1_000 + i);
    }
    fallSilent();
    assertEquals(MAX_DORMANT, net.module.counters().dormantConnections());
    assertGoesOn(fixture.client);
  }

  @Test
  void connectionsToOneVip_displaceNoneToAnother() {
    createOtherVip("tcp", "80");
    openAndSend(fixture.client, PolicyFixture.VIP, IDLE_PORT);
    fallSilent();
    for (int i = 0; i < 5 * MAX_DORMANT; i++) {
      openAndSend(fixture.client, OTHER_VIP, 1_000 + i);
    }
    fallSilent();
    assertGoesOn(fixture.client);
  }

  @Test
  void datagramsWithOneAnswer_displaceNothing() {
    createOtherVip("udp", "53");
    for (int i = 0; i < MAX_DORMANT; i++) {
      openAndSend(fixture.client, PolicyFixture.VIP, IDLE_PORT + i);
    }
    fallSilent();
    for (int i = 0; i < 5 * MAX_DORMANT; i++) {
      assertEquals(1, datagram(5_000 + i).size());
      answer(5_000 + i);
    }
    fallSilent();
    assertEquals(0, net.module.counters().openConnections());
    assertEquals(MAX_DORMANT, net.module.counters().dormantConnections());
    assertEquals(List.of(), net.rules(fixture.s2, CookieKind.REPLY));
    for (int i = 0; i < MAX_DORMANT; i++) {
      fixture.assertReaches(
          i % 2 == 0 ? fixture.first : fixture.second,
          send(fixture.client, PolicyFixture.VIP, IDLE_PORT + i, ACK));
    }
  }

  /** The switch was away, so that the counters of its rules are lost. */
  @Test
  void connectionsWhoseEndIsNotTold_areRememberedAsLongAsThereIsRoom() {
    for (int i = 0; i < MAX_DORMANT / 2; i++) {
      openAndSend(fixture.other, PolicyFixture.VIP, 1_000 + i);
    }
    fallSilent();
    openAndSend(fixture.client, PolicyFixture.VIP, IDLE_PORT);
    net.table(fixture.s1).clear();
    net.pass(61);
    net.pass(61);
    assertEquals(0, net.module.counters().openConnections());
    assertGoesOn(fixture.client);
  }

  /** Clients that send a datagram now and then keep their member as long as there is room. */
  @Test
  void datagramsWithOneAnswer_takeHalfOfTheRoomAtTheMax() {
    createOtherVip("udp", "53");
    for (int i = 0; i < 5 * MAX_DORMANT; i++) {
      assertEquals(1, datagram(5_000 + i).size());
      answer(5_000 + i);
    }
    fallSilent();
    assertEquals(MAX_DORMANT / 2, net.module.counters().dormantConnections());
  }

  @Test
  void datagramsOfAConversation_areRemembered() {
    createOtherVip("udp", "53");
    for (int i = 0; i < 2; i++) {
      assertEquals(1, datagram(5_000).size());
      answer(5_000);
    }
    fallSilent();
    assertEquals(1, net.module.counters().dormantConnections());
    assertEquals(1, datagram(5_000).size());
    assertEquals(1, net.module.counters().openConnections());
  }
}
