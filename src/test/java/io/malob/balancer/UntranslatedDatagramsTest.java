package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.VIP;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A member of a reactive VIP sends datagrams from the port of the service, and no record tells of
 * their connection: they must not reach a client of the VIP with the member's address.
 */
class UntranslatedDatagramsTest {
  private static final int PORT = 40_000;
  private static final int SERVICE = 8_080;

  private ProactiveFixture fixture = new ProactiveFixture("placement", "reactive");
  private BalancerNetwork net = fixture.net;
  private Host client = fixture.client;
  private Host m1 = fixture.m1;

  UntranslatedDatagramsTest() {
    fixture.setVip("protocol", "udp");
  }

  private void restartAll() {
    List.of(fixture.s1, fixture.s3).forEach(at -> net.table(at).clear());
    fixture = fixture.restarted("placement", "reactive");
    fixture.setVip("protocol", "udp");
    net = fixture.net;
    client = fixture.client;
    m1 = fixture.m1;
  }

  private static byte[] udp(Host from, int srcPort, Host to, int dstPort) {
    return Frames.udp(from.mac(), to.mac(), from.ip(), srcPort, to.ip(), dstPort, new byte[2]);
  }

  private byte[] toVip(int srcPort) {
    MacAddress edge = EdgeMac.of(client.switchId());
    return Frames.udp(client.mac(), edge, client.ip(), srcPort, VIP, 80, new byte[2]);
  }

  private List<Delivery> reply() {
    return net.send(m1, udp(m1, SERVICE, client, PORT));
  }

  private void assertIsTheVips(List<Delivery> out) {
    ProactiveFixture.assertReaches(client, out);
    Packet packet = Packet.parse(out.get(0).frame());
    assertEquals(VIP, packet.source());
    assertEquals(80, packet.srcPort());
    assertEquals(List.of(), net.passedOn);
  }

  private void assertLeft(Host from, byte[] frame) {
    net.passedOn.clear();
    assertEquals(List.of(), net.send(from, frame));
    assertEquals(1, net.passedOn.size());
    net.passedOn.clear();
  }

  @Test
  void reply_afterARestartOfAll_isTheVips() {
    restartAll();

    assertIsTheVips(reply());
    assertIsTheVips(reply());
  }

  /** By its turn, half of them would reach the other one. */
  @Test
  void clientThatAnswers_reachesTheSameMember() {
    restartAll();
    for (int port : IntStream.range(PORT, PORT + 8).toArray()) {
      net.send(m1, udp(m1, SERVICE, client, port));
      ProactiveFixture.assertReaches(m1, net.send(client, toVip(port)));
    }
    assertEquals(8, net.module.counters().openConnections());
    assertIsTheVips(reply());
  }

  @Test
  void connectionThatTheClientBegan_isLeftToOthers() {
    assertLeft(client, udp(client, PORT, m1, SERVICE));
    assertLeft(m1, udp(m1, SERVICE, client, PORT));
    net.passMillis(30 * 60_000);
    assertLeft(m1, udp(m1, SERVICE, client, PORT));
  }

  /** The first datagram is lost: its client says that it does not have the connection. */
  @Test
  void connectionThatTheClientBegan_beforeARestart_goesOn() {
    byte[] delivered = reply().get(0).frame();
    byte[] error = Replies.portUnreachable(Packet.parse(delivered));

    assertEquals(List.of(), net.send(client, error));
    assertEquals(List.of(), net.passedOn, "the member has no such connection either");
    assertLeft(m1, udp(m1, SERVICE, client, PORT));
  }

  @Test
  void connectionThatTheClientBegan_beforeARestart_whoseClientSpeaks() {
    reply();

    assertLeft(client, udp(client, PORT, m1, SERVICE));
    assertLeft(m1, udp(m1, SERVICE, client, PORT));
  }

  @Test
  void replyThatMayBeOfTwoVips_isDropped() {
    net.create(Catalog.VIPS, "id", "w", "address", "10.0.0.101", "protocol", "udp", "port", "80");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "n", "address", "10.0.0.11", "port", "8080", "pool_id", "q");

    assertEquals(List.of(), reply());
    assertEquals(List.of(), net.passedOn);
    assertEquals(1, net.refused(RejectReason.UNKNOWN_REPLY));
  }

  /** As peers of NTP do. */
  @Test
  void datagramToTheSamePort_isLeftToOthers() {
    assertLeft(m1, udp(m1, SERVICE, client, SERVICE));
  }

  @Test
  void datagramToAGroup_isLeftToOthers() {
    MacAddress group = MacAddress.of("01:00:5e:00:00:fb");
    IPv4Address address = IPv4Address.of("224.0.0.251");
    assertLeft(m1, Frames.udp(m1.mac(), group, m1.ip(), SERVICE, address, 5_353, new byte[2]));
  }

  /** A VIP for all ports has those that its members use as clients, too. */
  @Test
  void datagramOfAVipWithoutAPort_isLeftToOthers() {
    fixture.setMember("m1", "port", null);
    fixture.setMember("m2", "port", null);
    fixture.setVip("port", null);

    assertLeft(m1, udp(m1, 50_000, client, 53));
  }

  @Test
  void otherPortsOfTheServer_areLeftToOthers() {
    assertLeft(m1, udp(m1, 50_000, client, 53));
  }
}
