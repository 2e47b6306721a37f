package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Fields;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Limits of two controllers, each with half of them. Neither waits for what the other tells.
 *
 * <pre>
 *  client of a --1 s1 2---1 s2 2-- member
 *                   a       b  3-- client of b
 * </pre>
 */
class SpreadLimitsTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int LIMIT = 10;
  private static final int MAX_HALF_OPEN = 16;

  private final ControllerPair pair = pair(Map.of("maxHalfOpen", "" + MAX_HALF_OPEN), true);
  private final DatapathId s1 = pair.addSwitch(1);
  private final DatapathId s2 = pair.addSwitchOfB(2);
  private final Host clientOfA = Host.of(s1, 1, "10.0.0.1");
  private final Host clientOfB = Host.of(s2, 3, "10.0.0.2");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  SpreadLimitsTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void buildNetwork() {
    pair.link(s1, 2, s2, 1);
    pair.learn(member);
    pair.learn(clientOfA);
    pair.learn(clientOfB);
    pair.webService(member);
    pair.divideLimits(limit -> limit / 2);
    pair.meet();
    pair.pass(1);
  }

  private void limit(CatalogKind<?> kind, String id) throws Exception {
    for (BalancerNetwork controller : new BalancerNetwork[] {pair.a, pair.b}) {
      controller.module.catalog().update(kind, id, Fields.of("connection_limit", "" + LIMIT));
    }
  }

  private void send(Host client, int srcPort, int flags) {
    pair.a.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  private void open(Host client, int firstPort, int count) {
    for (int i = 0; i < count; i++) {
      send(client, firstPort + i, Packet.TCP_SYN);
    }
  }

  /** The connections of both at the VIP; what each knows of the other is counted once. */
  private int openAtBoth() {
    pair.talk();
    assertEquals(open(pair.a), open(pair.b));
    return open(pair.a);
  }

  private static int open(BalancerNetwork controller) {
    return controller.module.vipStats().values().iterator().next().activeConnections();
  }

  @Test
  void vipLimit_isNotExceeded_beforeControllersHearOfEachOthersConnections() throws Exception {
    limit(Catalog.VIPS, "v");
    open(clientOfA, 40_000, LIMIT);
    open(clientOfB, 41_000, LIMIT);
    assertEquals(LIMIT / 2, pair.a.refused(RejectReason.VIP_FULL));
    assertEquals(LIMIT / 2, pair.b.refused(RejectReason.VIP_FULL));
    assertEquals(LIMIT, openAtBoth());
  }

  @Test
  void memberLimit_isNotExceededEither() throws Exception {
    limit(Catalog.MEMBERS, "m1");
    open(clientOfA, 40_000, LIMIT);
    open(clientOfB, 41_000, LIMIT);
    assertEquals(LIMIT / 2, pair.a.refused(RejectReason.MEMBERS_FULL));
    assertEquals(LIMIT / 2, pair.b.refused(RejectReason.MEMBERS_FULL));
    assertEquals(LIMIT, openAtBoth());
  }

  @Test
  void halfOpenLimit_isNotExceededEither() {
    open(clientOfA, 40_000, MAX_HALF_OPEN);
    open(clientOfB, 41_000, MAX_HALF_OPEN);
    assertEquals(MAX_HALF_OPEN / 2, pair.a.refused(RejectReason.HALF_OPEN));
    assertEquals(MAX_HALF_OPEN / 2, pair.b.refused(RejectReason.HALF_OPEN));
    assertEquals(MAX_HALF_OPEN, openAtBoth());
  }

  @Test
  void endedConnections_makeRoom_inTheirControllersPart() throws Exception {
    assumeEndsAreTold();
    limit(Catalog.VIPS, "v");
    open(clientOfA, 40_000, LIMIT);
    open(clientOfB, 41_000, LIMIT);
    pair.talk();
    send(clientOfA, 40_000, Packet.TCP_FIN | Packet.TCP_ACK);
    send(clientOfA, 40_001, Packet.TCP_FIN | Packet.TCP_ACK);
    pair.talk();
    open(clientOfB, 42_000, 1);
    assertEquals(LIMIT - 2, openAtBoth(), "the room is a's");
    open(clientOfA, 42_000, 3);
    assertEquals(LIMIT, openAtBoth());
  }

  @Test
  void controllerThatTakesOver_countsTheConnectionsAsItsOwn() throws Exception {
    limit(Catalog.VIPS, "v");
    open(clientOfA, 40_000, LIMIT / 2);
    open(clientOfB, 41_000, 2);
    pair.talk();
    pair.kill();
    pair.takeOver();
    pair.pass(1);
    assertEquals(LIMIT / 2 + 2, open(pair.b));
    open(clientOfB, 42_000, 1);
    assertEquals(LIMIT / 2 + 2, open(pair.b), "its part is still a half");
    pair.divideLimits(limit -> limit);
    open(clientOfB, 43_000, LIMIT);
    assertEquals(LIMIT, open(pair.b));
    send(clientOfA, 40_000, Packet.TCP_FIN | Packet.TCP_ACK);
    open(clientOfB, 44_000, 2);
    assertEquals(LIMIT, open(pair.b));
  }

  /** Whatever begins, ends and is told, and in whatever order. */
  @Test
  void limit_isNeverExceeded_inRandomOrder() throws Exception {
    limit(Catalog.VIPS, "v");
    Random random = new Random(1);
    int max = 0;
    for (int step = 0; step < 500; step++) {
      Host client = random.nextBoolean() ? clientOfA : clientOfB;
      int port = 40_000 + random.nextInt(50);
      send(client, port, random.nextInt(3) > 0 ? Packet.TCP_SYN : Packet.TCP_FIN | Packet.TCP_ACK);
      if (random.nextInt(10) == 0) {
        int now = openAtBoth();
        assertTrue(now <= LIMIT, now + " after step " + step);
        max = Math.max(max, now);
      }
    }
    assertEquals(LIMIT, max, "the limit is used");
  }
}
