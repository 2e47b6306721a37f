package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.LimitWarnings;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.api.VipStats;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.LogLines;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Connections of which nothing but the first packet was heard. */
class HalfOpenLimitTest {
  private static final int VIP = 7;
  private static final int OTHER_VIP = 8;

  @Nested
  class Counting {
    private long nanos = -TimeUnit.SECONDS.toNanos(3);
    private final HalfOpenLimit halfOpen =
        new HalfOpenLimit(8, IntUnaryOperator.identity(), () -> nanos);

    private void pass(int seconds) {
      nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void connection_countsUntilItsRuleWouldHaveEnded() {
      halfOpen.add(VIP, 15);
      pass(15);
      assertEquals(1, halfOpen.now(VIP));
      pass(1);
      assertEquals(0, halfOpen.now(VIP));
    }

    @Test
    void connection_withALongIdleTimeout_countsForThirtySecondsAtMost() {
      halfOpen.add(VIP, 3_600);
      pass(30);
      assertEquals(1, halfOpen.now(VIP));
      pass(1);
      assertEquals(0, halfOpen.now(VIP));
    }

    @Test
    void connection_thatIsRemoved_countsNoMore_norLessThanOnce() {
      long until = halfOpen.add(VIP, 15);
      halfOpen.add(VIP, 15);
      halfOpen.remove(VIP, until, false);
      assertEquals(1, halfOpen.now(VIP));
      pass(20);
      halfOpen.remove(VIP, until, false);
      assertEquals(0, halfOpen.now(VIP), "its time was over already");
    }

    @Test
    void vips_areCountedForThemselves() {
      for (int i = 0; i < 8; i++) {
        assertFalse(halfOpen.isFull(VIP));
        halfOpen.add(VIP, 15);
      }
      assertTrue(halfOpen.isFull(VIP));
      assertFalse(halfOpen.isCrowded(OTHER_VIP));
    }

    @Test
    void silence_longerThanAllThatIsCounted_leavesNothing() {
      halfOpen.add(VIP, 30);
      pass(1_000_000);
      assertEquals(0, halfOpen.now(VIP));
      halfOpen.add(VIP, 30);
      assertEquals(1, halfOpen.now(VIP));
    }
  }

  /** At most eight may be half open; from the third on, rules end soon. */
  @Nested
  class Flood extends OnEachProfile {
    private static final int SYN = Packet.TCP_SYN;
    private static final int ACK = Packet.TCP_ACK;

    private final BalancerNetwork net = network(Map.of("maxHalfOpen", "8"));
    private final DatapathId s1 = net.addSwitch(1);
    private final Host client = Host.of(s1, 1, "10.0.0.1");
    private final Host member = Host.of(s1, 2, "10.0.0.11");
    private final IPv4Address vip = IPv4Address.of("10.0.0.100");
    private final IPv4Address otherVip = IPv4Address.of("10.0.0.101");

    Flood(SwitchProfile profile) {
      super(profile);
      net.learn(client);
      net.learn(member);
      net.webService(member);
      net.create(Catalog.VIPS, "id", "o", "address", otherVip.toString());
      net.create(Catalog.POOLS, "id", "q", "vip_id", "o");
      net.create(Catalog.MEMBERS, "id", "n", "address", member.ip().toString(), "pool_id", "q");
    }

    private boolean reachesMember(IPv4Address to, int srcPort, int flags) {
      byte[] frame =
          Frames.tcp(
              client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, to, 80, flags);
      return net.send(client, frame).stream()
          .anyMatch(out -> out.port().getPortNumber() == member.port());
    }

    private void flood(int syns) {
      for (int i = 0; i < syns; i++) {
        boolean unused = reachesMember(vip, 40_000 + i, SYN);
      }
    }

    private List<Integer> idleTimeouts() {
      return net.rules(s1, CookieKind.REQUEST).stream()
          .map(FakeRule::idleTimeout)
          .sorted()
          .toList();
    }

    @Test
    void synsBeyondTheLimit_areDroppedSilently_andOtherVipsGoOn() {
      flood(20);

      assertEquals(8, net.rules(s1, CookieKind.REQUEST).size());
      assertEquals(12, net.refused(RejectReason.HALF_OPEN));
      assertTrue(net.send(client, syn(50_000)).isEmpty(), "no reset: to whom?");
      assertTrue(reachesMember(otherVip, 40_000, SYN));
    }

    private byte[] syn(int srcPort) {
      return Frames.tcp(
          client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, vip, 80, SYN);
    }

    @Test
    void limit_isTold_onceAMinute_withWhatWasDropped() {
      try (LogLines log = LogLines.of(LimitWarnings.class)) {
        flood(8);
        net.pass(1);
        assertEquals(List.of(), log.takeEvents());
        flood(10);
        net.pass(1);
        assertEquals(
            List.of("half_open_limit_reached vip=v half_open=8 dropped=2"), log.takeEvents());
        flood(13);
        net.pass(1);
        assertEquals(List.of(), log.takeEvents());
        net.pass(59);
        assertEquals(
            List.of("half_open_limit_reached vip=v half_open=0 dropped=5"), log.takeEvents());
        net.pass(120);
        assertEquals(List.of(), log.takeEvents());
      }
    }

    @Test
    void stats_areOfEachVip() {
      assertFalse(net.module.vipStats().get("v").isCrowded());
      flood(20);
      assertEquals(new VipStats(8, 0, 8, 8), net.module.vipStats().get("v"));
      assertTrue(net.module.vipStats().get("v").isCrowded());
      assertEquals(new VipStats(0, 0, 0, 8), net.module.vipStats().get("o"));
    }

    @Test
    void explanation_isThatTheLimitDropsIt_asLongAsItDoes() {
      assumeEndsAreTold();
      flood(8);
      assertEquals(
          new ExplainedConnection.Refused("half_open"),
          net.module
              .explain(client.ip(), vip, Protocol.TCP, 80, OptionalInt.empty())
              .orElseThrow()
              .outcome());
      assertFalse(reachesMember(vip, 50_000, SYN));

      boolean unused = reachesMember(vip, 40_000, Packet.TCP_FIN | ACK);
      assertInstanceOf(
          ExplainedConnection.Placed.class,
          net.module
              .explain(client.ip(), vip, Protocol.TCP, 80, OptionalInt.empty())
              .orElseThrow()
              .outcome());
      assertTrue(reachesMember(vip, 50_000, SYN));
    }

    @Test
    void explanation_whereMembersAreSoughtFirst_isThatThereIsNone() {
      flood(8);
      net.forget(member);
      assertEquals(
          new ExplainedConnection.Refused("no_member"),
          net.module
              .explain(client.ip(), vip, Protocol.TCP, 80, OptionalInt.empty())
              .orElseThrow()
              .outcome());
    }

    @Test
    void rulesOfMany_endSoon() {
      flood(4);

      assertEquals(List.of(5, 5, 15, 15), idleTimeouts());
    }

    @Test
    void connectionThatNeverSentMore_isForgotten_andItsPlaceIsFree() {
      flood(8);
      net.pass(20);
      net.expire();

      assertEquals(0, net.module.counters().openConnections());
      assertEquals(
          2, net.module.counters().dormantConnections(), "those of before there were many");
      assertTrue(reachesMember(vip, 50_000, SYN));
    }

    @Test
    void clientThatIsThere_goesOnAfterItsShortRuleHasEnded() {
      flood(8);
      assertTrue(reachesMember(vip, 40_007, ACK));
      net.pass(6);
      net.expire();

      assertEquals(1, net.module.counters().dormantConnections());
      assertTrue(reachesMember(vip, 40_007, ACK));
      assertEquals(15, idleTimeouts().get(idleTimeouts().size() - 1), "as usual from now on");
    }

    @Test
    void connectionThatItsClientEnds_isHalfOpenNoMore() {
      assumeEndsAreTold();
      flood(8);
      boolean unused = reachesMember(vip, 40_000, Packet.TCP_FIN | ACK);

      assertTrue(reachesMember(vip, 50_000, SYN));
    }

    @Test
    void connectionsThatOutliveTheirTimeout_areHalfOpenNoMore() {
      flood(8);
      for (int i = 0; i < 16; i++) {
        net.pass(1);
        for (int each = 0; each < 8; each++) {
          boolean unused = reachesMember(vip, 40_000 + each, ACK);
        }
        net.expire();
      }

      assertTrue(reachesMember(vip, 50_000, SYN));
      assertEquals(9, net.rules(s1, CookieKind.REQUEST).size());
    }
  }
}
