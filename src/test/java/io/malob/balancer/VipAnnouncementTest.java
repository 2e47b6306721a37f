package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.health.SpoofGuard;
import io.malob.json.RejectedException;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.testing.FakeNetwork.Delivery;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/** What hosts hear of a VIP before they ask. */
@ParameterizedClass
@ValueSource(strings = {"10.0.0.", "2001:db8::"})
class VipAnnouncementTest {
  private static final int MANY = 200;

  private final String network;
  private final BalancerNetwork net = new BalancerNetwork();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client;

  VipAnnouncementTest(String network) {
    this.network = network;
    this.client = Host.of(s1, 1, network + "1");
  }

  @BeforeEach
  void connect() {
    net.link(s1, 2, s2, 1);
    net.passMillis(1_000);
    net.delivered.clear();
  }

  private void vip(String id, String address, int port) {
    net.create(
        Catalog.VIPS,
        "id",
        id,
        "protocol",
        "tcp",
        "address",
        address,
        "port",
        String.valueOf(port));
  }

  private void update(String id, String field, String value) throws RejectedException {
    net.module.catalog().update(Catalog.VIPS, id, Fields.of(field, value));
  }

  /** The addresses that hosts at a port have heard of; each with its switch's MAC. */
  private List<IPAddress<?>> heardAt(DatapathId switchId, int port) {
    return net.delivered.stream()
        .filter(delivery -> delivery.switchId().equals(switchId))
        .filter(delivery -> delivery.port().getPortNumber() == port)
        .<IPAddress<?>>map(VipAnnouncementTest::announced)
        .toList();
  }

  private static IPAddress<?> announced(Delivery delivery) {
    Packet frame = Packet.parse(delivery.frame());
    NeighbourMessage message = NeighbourMessage.of(frame).orElseThrow();
    assertEquals(EdgeMac.of(delivery.switchId()), message.mac());
    assertEquals(message.mac(), frame.srcMac());
    return message.target();
  }

  @Test
  void newVip_isAnnouncedAtAllHostPorts_once() {
    vip("web", network + "64", 80);
    net.passMillis(5_000);
    List<IPAddress<?>> vip = List.of(IPAddress.of(network + "64"));
    assertEquals(vip, heardAt(s1, client.port()));
    assertEquals(vip, heardAt(s2, 2));
    assertEquals(List.of(), heardAt(s1, 2), "a link");
  }

  @Test
  void vipWithAnotherAddress_isAnnounced_andOneWithAnotherPortIsNot() throws RejectedException {
    vip("web", network + "64", 80);
    vip("other", network + "65", 80);
    net.passMillis(1_000);
    net.delivered.clear();
    vip("second", network + "64", 81);
    update("web", "port", "82");
    update("other", "address", network + "66");
    net.passMillis(1_000);
    assertEquals(List.of(IPAddress.of(network + "66")), heardAt(s1, client.port()));
  }

  @Test
  void vipThatIsDeletedAtOnce_isNotAnnounced() {
    vip("web", network + "64", 80);
    net.delete(Catalog.VIPS, "web");
    net.passMillis(1_000);
    assertEquals(List.of(), heardAt(s1, client.port()));
  }

  @Test
  void manyNewVips_areAnnouncedAtALimitedRate() {
    boolean isIpv4 = network.startsWith("10.");
    for (int i = 0; i < MANY; i++) {
      vip(
          "vip" + i,
          isIpv4
              ? "10.1." + i / 100 + "." + (1 + i % 100)
              : "2001:db8:1::" + Integer.toHexString(1 + i),
          80);
    }
    net.passMillis(100);
    int first = heardAt(s1, client.port()).size();
    assertEquals(50, first, "each is one message to each of two switches");
    for (int tick = 2; tick <= MANY / first; tick++) {
      net.passMillis(100);
      assertEquals(tick * first, heardAt(s1, client.port()).size());
    }
    net.passMillis(100);
    assertEquals(MANY, heardAt(s1, client.port()).size());
  }

  @Test
  void announcementOverALinkThatIsNotKnownYet_isNoClaim() {
    net.network.connect(s1, 3, s2, 3);
    vip("web", network + "64", 80);
    net.passMillis(1_000);
    assertEquals(1, heardAt(s1, client.port()).size());
    net.pass(SpoofGuard.LINKS_KNOWN_SECONDS - 3);
    net.learnLink(s1, 3, s2, 3);
    net.pass(60);
    assertEquals(List.of(), net.passedOn);
    assertEquals(0, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void announcementThatComesInOverALink_isNotForwarded() {
    vip("web", network + "64", 80);
    net.passMillis(1_000);
    byte[] announcement = net.delivered.get(0).frame();
    net.delivered.clear();
    assertEquals(List.of(), net.network.inject(s2, 1, announcement));
    assertEquals(List.of(), net.passedOn);
    assertEquals(List.of(), net.delivered);
  }
}
