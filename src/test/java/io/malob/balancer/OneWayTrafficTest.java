package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Connections of which only one end sends. */
class OneWayTrafficTest extends OnEachProfile {
  private static final int PORT = 5_000;
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.101");

  private final PolicyFixture fixture = new PolicyFixture(network());
  private final BalancerNetwork net = fixture.net;

  OneWayTrafficTest(SwitchProfile profile) {
    super(profile);
    net.create(Catalog.VIPS, "id", "o", "protocol", "udp", "address", VIP.toString(), "port", "53");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "o");
    net.create(
        Catalog.MEMBERS, "id", "n", "address", fixture.first.ip().toString(), "pool_id", "q");
  }

  private List<Delivery> fromClient() {
    return net.send(
        fixture.client,
        Frames.udp(
            fixture.client.mac(),
            EdgeMac.of(fixture.client.switchId()),
            fixture.client.ip(),
            PORT,
            VIP,
            53,
            new byte[3]));
  }

  private List<Delivery> fromMember() {
    return net.send(
        fixture.first,
        Frames.udp(
            fixture.first.mac(),
            fixture.client.mac(),
            fixture.first.ip(),
            53,
            fixture.client.ip(),
            PORT,
            new byte[9]));
  }

  private void assertCameFromTheVip(List<Delivery> deliveries) {
    fixture.assertReaches(fixture.client, deliveries);
    assertEquals(VIP.getInt(), Packet.parse(deliveries.get(0).frame()).srcAddress());
  }

  private long packetIns() {
    return net.module.activity().packetIns().values().stream().mapToLong(each -> each).sum();
  }

  private int openConnections() {
    return net.module.counters().openConnections();
  }

  @Test
  void connectionWhoseMemberAloneSends_staysOpen_andOutOfTheController() {
    fixture.assertReaches(fixture.first, fromClient());
    long before = packetIns();
    for (int seconds = 0; seconds < 2 * 60 * 60; seconds += 5) {
      net.pass(5);
      net.expire();
      assertCameFromTheVip(fromMember());
    }
    assertEquals(before, packetIns());
    assertEquals(1, openConnections());
    assertEquals(1, net.stats("n").activeConnections());

    fixture.assertReaches(fixture.first, fromClient());
    assertEquals(1, net.rules(fixture.s1, CookieKind.REQUEST).size(), "of both ends again");

    net.pass(20);
    net.expire();
    assertEquals(0, openConnections());
    assertEquals(0, net.stats("n").activeConnections());
  }

  @Test
  void endOfAReplyRuleThatIsNotTold_isFoundByAnAudit() {
    fixture.assertReaches(fixture.first, fromClient());
    net.pass(11);
    assertCameFromTheVip(fromMember());
    net.expire();
    assertEquals(1, openConnections());

    net.table(fixture.s2).clear();
    net.pass(61);
    net.pass(61);
    assertEquals(0, openConnections());
  }

  @Test
  void connectionWhoseMembersSwitchStaysAway_endsAfterTheOutageAndItsIdleTime() {
    fixture.assertReaches(fixture.first, fromClient());
    net.disconnect(fixture.s2);
    pass(39);
    assertEquals(1, openConnections(), "its switch may be back");
    pass(7);
    assertEquals(0, openConnections());
    assertEquals(0, net.stats("n").activeConnections());
    assertEquals(1, net.refused(RejectReason.SWITCH_AWAY));

    net.addSwitch(2);
    net.pass(5);
    fixture.assertReaches(fixture.first, fromClient());
    assertEquals(1, openConnections());
  }

  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      net.pass(1);
      net.expire();
    }
  }

  @Test
  void connectionWhoseClientAloneSends_isOneConnection() {
    fixture.assertReaches(fixture.first, fromClient());
    for (int i = 0; i < 10; i++) {
      net.pass(5);
      net.expire();
      fixture.assertReaches(fixture.first, fromClient());
    }
    assertEquals(1, openConnections());
    assertEquals(1, net.stats("n").totalConnections());
    net.pass(20);
    net.expire();
    assertEquals(0, openConnections());
    assertEquals(1, net.module.counters().dormantConnections());
  }
}
