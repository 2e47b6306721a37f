package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.reroute.RulePacer;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The repair of paths at switches without groups, whose rules of connections and of proactive VIPs
 * name ports.
 *
 * <pre>
 *  client 1--s1 2-----------1 s2 2-- m1
 *             3--1 s3 2-----3
 * </pre>
 */
class PortChangesTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int CONNECTIONS = 120;
  private static final int CLIENTS = 90;
  private static final int BUCKETS = 64;

  /** What may be sent in one go. */
  private static final int PER_TICK = 50;

  private final BalancerNetwork net = new BalancerNetwork(SwitchProfile.ONE_TABLE);
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final DatapathId s3 = net.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host m1 = Host.of(s2, 2, "10.0.0.11");

  @BeforeEach
  void openConnections() {
    net.link(s1, 2, s2, 1);
    net.link(s1, 3, s3, 1);
    net.link(s3, 2, s2, 3);
    net.learn(client);
    net.learn(m1);
    net.webService(m1);
    for (int port = 0; port < CONNECTIONS; port++) {
      net.send(
          client,
          Frames.tcp(
              client.mac(),
              EdgeMac.of(client.switchId()),
              client.ip(),
              40_000 + port,
              VIP,
              80,
              Packet.TCP_SYN));
    }
    assertEquals(CONNECTIONS, leadingOutOf(s1, CookieKind.REQUEST, 2));
    assertEquals(CONNECTIONS, leadingOutOf(s2, CookieKind.REPLY, 1));
  }

  private long leadingOutOf(DatapathId switchId, CookieKind kind, int port) {
    return net.rules(switchId, kind).stream()
        .flatMap(rule -> rule.instructions().stream())
        .filter(OFInstructionApplyActions.class::isInstance)
        .flatMap(apply -> ((OFInstructionApplyActions) apply).getActions().stream())
        .filter(
            action ->
                action instanceof OFActionOutput output && output.getPort().equals(OFPort.of(port)))
        .count();
  }

  private void tick() {
    net.passMillis(RulePacer.TICK_MILLIS);
  }

  @Test
  void repair_changesAllRules_aBoundedNumberAtATime() {
    net.unlink(s1, 2);

    for (int changed : new int[] {PER_TICK, 2 * PER_TICK, CONNECTIONS}) {
      tick();
      assertEquals(changed, leadingOutOf(s1, CookieKind.REQUEST, 3));
      assertEquals(changed, leadingOutOf(s2, CookieKind.REPLY, 3));
    }
    assertEquals(CONNECTIONS, net.module.counters().openConnections());
  }

  @Test
  void switchThatDoesNotConfirm_getsNoMore() {
    net.unlink(s1, 2);
    net.holdBarriers();

    Stream.generate(() -> 0).limit(10).forEach(any -> tick());

    assertEquals(PER_TICK, leadingOutOf(s1, CookieKind.REQUEST, 3));
    net.releaseBarriers();
    tick();
    tick();
    assertEquals(CONNECTIONS, leadingOutOf(s1, CookieKind.REQUEST, 3));
  }

  /** A proactive VIP on port 81, with clients that fill more than one turn. */
  private void addProactiveVip() {
    net.create(
        Catalog.VIPS,
        "id",
        "w",
        "address",
        VIP.toString(),
        "protocol",
        "tcp",
        "port",
        "81",
        "placement",
        "proactive");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "n1", "address", "10.0.0.11", "port", "8081", "pool_id", "q");
    for (int number = 0; number < CLIENTS; number++) {
      Host each = Host.of(s1, 1, "10.0.1." + number);
      net.learn(each);
      net.send(each, Frames.arpRequest(each.mac(), each.ip(), VIP));
    }
    for (int quarter = 0; quarter < 16; quarter++) {
      net.passMillis(250);
    }
    assertEquals(BUCKETS, leadingOutOf(s1, CookieKind.BUCKET, 2));
    assertEquals(CLIENTS, leadingOutOf(s2, CookieKind.PROACTIVE, 1));
  }

  /** All rules of clients' requests that have been changed. */
  private long changedAtClients() {
    return leadingOutOf(s1, CookieKind.REQUEST, 3) + leadingOutOf(s1, CookieKind.BUCKET, 3);
  }

  private long changedAtMembers() {
    return leadingOutOf(s2, CookieKind.REPLY, 3) + leadingOutOf(s2, CookieKind.PROACTIVE, 3);
  }

  @Test
  void repair_changesRulesOfProactiveVipsAndConnections_atOneBoundedRate() {
    addProactiveVip();

    net.unlink(s1, 2);

    for (int changed = PER_TICK; changed < CONNECTIONS + BUCKETS; changed += PER_TICK) {
      tick();
      assertEquals(changed, changedAtClients());
      assertEquals(changed, changedAtMembers());
    }
    tick();
    assertEquals(CONNECTIONS + BUCKETS, changedAtClients());
    tick();
    assertEquals(CONNECTIONS + CLIENTS, changedAtMembers());
    assertEquals(0, leadingOutOf(s1, CookieKind.BUCKET, 2));
    assertEquals(0, leadingOutOf(s2, CookieKind.PROACTIVE, 1));
  }
}
