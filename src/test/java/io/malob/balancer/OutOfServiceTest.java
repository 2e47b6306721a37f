package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.balancer.api.RejectReason;
import io.malob.json.RejectedException;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.Protocol;
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
 * Load balancers, VIPs and pools that an operator takes down.
 *
 * <pre>
 *  client --1 s1 2-- member (m)
 * </pre>
 */
class OutOfServiceTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;

  private static final Map<CatalogKind<?>, Exclusion> EXCLUSIONS =
      Map.of(
          Catalog.LOAD_BALANCERS, Exclusion.LOAD_BALANCER_DOWN,
          Catalog.VIPS, Exclusion.VIP_DOWN,
          Catalog.POOLS, Exclusion.POOL_DOWN);

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s1, 2, "10.0.0.11");

  OutOfServiceTest(SwitchProfile profile) {
    super(profile);
    net.learn(client);
    net.learn(member);
    net.create(Catalog.LOAD_BALANCERS, "id", "x", "address", VIP.toString());
    net.create(Catalog.VIPS, "id", "x", "address", VIP.toString(), "port", "80");
    net.create(Catalog.POOLS, "id", "x", "vip_id", "x");
    net.create(Catalog.MEMBERS, "id", "m", "address", member.ip().toString(), "pool_id", "x");
  }

  private void set(CatalogKind<?> kind, String state) {
    try {
      net.module.catalog().update(kind, "x", Fields.of("admin_state", state));
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private List<Delivery> send(int srcPort, int flags) {
    return net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  private void assertReaches(Host host, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(host.port(), deliveries.get(0).port().getPortNumber());
  }

  private void assertReset(List<Delivery> deliveries) {
    assertReaches(client, deliveries);
    assertTrue(Packet.parse(deliveries.get(0).frame()).hasTcpFlags(Packet.TCP_RST));
  }

  @Test
  void down_refusesNewConnections_andKeepsOpenOnes_untilItIsUpAgain() {
    int port = 40_000;
    for (CatalogKind<?> kind : EXCLUSIONS.keySet()) {
      int open = ++port;
      assertReaches(member, send(open, SYN));
      long refused = net.refused(RejectReason.NO_MEMBER);

      set(kind, "down");

      assertReset(send(++port, SYN));
      assertEquals(refused + 1, net.refused(RejectReason.NO_MEMBER));
      assertReaches(member, send(open, ACK));

      set(kind, "up");
      assertReaches(member, send(++port, SYN));
    }
  }

  @Test
  void down_keepsAnOpenConnection_alsoAfterAPause() {
    assumeEndsAreTold();
    assertReaches(member, send(40_000, SYN));
    set(Catalog.VIPS, "down");
    net.pass(60);
    net.expire();
    assertReaches(member, send(40_000, ACK));
  }

  @Test
  void down_doesNotTakeAnEndedConnectionAgain() {
    assumeEndsAreTold();
    assertReaches(member, send(40_000, SYN));
    send(40_000, FIN | ACK);
    set(Catalog.VIPS, "down");
    assertReset(send(40_000, SYN));
  }

  /** A packet is not kept for a member that may pass its first check soon. */
  @Test
  void down_refusesAtOnce_whileMembersAreChecked() {
    set(Catalog.VIPS, "down");
    net.create(Catalog.MONITORS, "type", "TCP", "pool_id", "x");
    net.create(Catalog.MEMBERS, "id", "n", "address", "10.0.0.12", "pool_id", "x");
    assertReset(send(40_000, SYN));
  }

  @Test
  void explanation_namesTheItemThatIsDown() {
    for (Map.Entry<CatalogKind<?>, Exclusion> each : EXCLUSIONS.entrySet()) {
      set(each.getKey(), "down");
      ExplainedConnection explained =
          net.module.explain(client.ip(), VIP, Protocol.TCP, 80, OptionalInt.empty()).orElseThrow();
      assertEquals(new Refused("no_member"), explained.outcome());
      assertEquals(Optional.of(each.getValue()), explained.candidates().get(0).excluded());
      set(each.getKey(), "up");
    }
  }
}
