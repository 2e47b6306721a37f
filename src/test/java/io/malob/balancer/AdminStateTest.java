package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.json.RejectedException;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Members that an operator drains or takes down.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member 1 (m1)
 *                       3 |
 *                       member 2 (m2)
 * </pre>
 */
class AdminStateTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host first = Host.of(s2, 2, "10.0.0.11");
  private final Host second = Host.of(s2, 3, "10.0.0.12");

  AdminStateTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(first);
    net.learn(second);
  }

  /** Any port of 10.0.0.100, over both members. */
  private void service() {
    net.create(Catalog.VIPS, "id", "v", "address", VIP.toString());
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v", "lb_method", "RR+SPH");
    net.create(Catalog.MEMBERS, "id", "m1", "address", first.ip().toString(), "pool_id", "p");
    net.create(Catalog.MEMBERS, "id", "m2", "address", second.ip().toString(), "pool_id", "p");
  }

  private void set(BalancerNetwork network, String member, String state) {
    try {
      network.module.catalog().update(Catalog.MEMBERS, member, Fields.of("admin_state", state));
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private void set(String member, String state) {
    set(net, member, state);
  }

  private byte[] toVip(int srcPort, int dstPort, int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, dstPort, flags);
  }

  private List<Delivery> send(int srcPort, int flags) {
    return net.send(client, toVip(srcPort, 80, flags));
  }

  private void assertReaches(Host host, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(host.port(), deliveries.get(0).port().getPortNumber());
    assertEquals(host.switchId(), deliveries.get(0).switchId());
  }

  private void assertReset(List<Delivery> deliveries) {
    assertReaches(client, deliveries);
    assertTrue(Packet.parse(deliveries.get(0).frame()).hasTcpFlags(Packet.TCP_RST));
  }

  @Test
  void drainedMember_getsNoNewConnectionUntilItIsUpAgain() {
    service();
    set("m1", "drain");
    for (int port = 40_000; port < 40_004; port++) {
      assertReaches(second, send(port, SYN));
    }

    set("m1", "up");
    send(40_004, SYN);
    send(40_005, SYN);

    assertEquals(1, net.stats("m1").totalConnections());
  }

  @Test
  void drainedMember_keepsItsOpenConnections_alsoAfterAPause() {
    assumeEndsAreTold();
    service();
    assertReaches(first, send(40_000, SYN));

    set("m1", "drain");

    assertEquals(1, net.stats("m1").activeConnections());
    assertReaches(first, send(40_000, ACK));
    net.pass(60);
    net.expire();
    assertEquals(List.of(), net.rules(s1, CookieKind.REQUEST));
    assertReaches(first, send(40_000, ACK));
    send(40_000, FIN | ACK);
    assertEquals(0, net.stats("m1").activeConnections());
    assertTrue(net.stats("m1").located());
  }

  @Test
  void drainedMember_doesNotGetThePortOfAConnectionThatItHad() {
    assumeEndsAreTold();
    service();
    assertReaches(first, send(40_000, SYN));
    send(40_000, FIN | ACK);
    set("m1", "drain");

    assertReaches(second, send(40_000, SYN));

    assertReaches(second, send(40_000, ACK));
  }

  /** UDP does not say where a connection begins. */
  @Test
  void drainedMember_loosesUdpAfterAPause() {
    service();
    byte[] datagram =
        Frames.udp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), 5_000, VIP, 53, new byte[4]);
    assertReaches(first, net.send(client, datagram));
    set("m1", "drain");
    assertReaches(first, net.send(client, datagram));

    net.pass(60);
    net.expire();

    assertReaches(second, net.send(client, datagram));
  }

  @Test
  void drainedMember_getsTheDataOfItsOpenFtpSessions() {
    service();
    assertReaches(first, net.send(client, toVip(40_000, 21, SYN)));
    set("m1", "drain");

    assertReaches(first, net.send(client, toVip(40_001, 50_000, SYN)));

    assertReaches(second, net.send(client, toVip(40_002, 80, SYN)));
  }

  @Test
  void memberTakenDown_hasItsConnectionsClosed() {
    service();
    assertReaches(first, send(40_000, SYN));

    set("m1", "down");

    assertEquals(0, net.stats("m1").activeConnections());
    assertReset(send(40_000, ACK));
    assertReaches(second, send(40_001, SYN));
  }

  @Test
  void memberThatIsDown_keepsClosedWhatIsWrittenToItElse() {
    service();
    set("m1", "down");
    assertReaches(second, send(40_000, SYN));

    set("m1", "drain");

    assertReaches(second, send(40_000, ACK));
    assertReaches(second, send(40_001, SYN));
  }

  @Test
  void poolWithNoMemberUp_refusesAtOnce() {
    service();
    set("m1", "drain");
    set("m2", "down");

    assertReset(send(40_000, SYN));

    assertEquals(1, net.refused(RejectReason.NO_MEMBER));
  }

  @Test
  void connectionFoundAfterARestart_staysWithADrainedMemberAndNotWithOneThatIsDown() {
    service();
    assertReaches(first, send(40_000, SYN));
    assertReaches(second, send(40_001, SYN));
    BalancerNetwork after = net.restarted();
    after.create(Catalog.VIPS, "id", "v", "address", VIP.toString());
    after.create(Catalog.POOLS, "id", "p", "vip_id", "v", "lb_method", "RR+SPH");
    after.create(
        Catalog.MEMBERS,
        "id",
        "m1",
        "address",
        first.ip().toString(),
        "pool_id",
        "p",
        "admin_state",
        "drain");
    after.create(
        Catalog.MEMBERS,
        "id",
        "m2",
        "address",
        second.ip().toString(),
        "pool_id",
        "p",
        "admin_state",
        "down");
    after.addSwitch(1);
    after.addSwitch(2);
    after.link(s1, 2, s2, 1);
    after.learn(client);
    after.learn(first);
    after.learn(second);

    assertEquals(1, after.module.reconcileStats().connectionsAdopted());
    assertEquals(1, after.stats("m1").activeConnections());
    assertEquals(0, after.stats("m2").activeConnections());
    assertReaches(first, after.send(client, toVip(40_000, 80, ACK)));
  }
}
