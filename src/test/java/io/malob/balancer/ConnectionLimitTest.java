package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.Servers;
import io.malob.testing.SwitchProfile;
import io.malob.testing.Together;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** VIPs and members that may have only so many connections. */
class ConnectionLimitTest extends OnEachProfile {
  private static final int ACK = Packet.TCP_ACK;

  private final PolicyFixture fixture = new PolicyFixture(network());
  private final BalancerNetwork net = fixture.net;

  ConnectionLimitTest(SwitchProfile profile) {
    super(profile);
  }

  private static Stream<String> algorithms() {
    return Algorithm.names().stream();
  }

  private long active(String member) {
    return net.stats(member).activeConnections();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void memberAtItsLimit_isPassedOver(String algorithm) {
    fixture.setPool("lb_method", algorithm);
    fixture.setMember("m1", "connection_limit", "2");
    for (int port = 40_000; port < 40_008; port++) {
      assertEquals(1, fixture.open(port).size());
    }

    assertEquals(2, active("m1"));
    assertEquals(6, active("m2"));
    assertEquals(Optional.of(Exclusion.FULL), fixture.exclusion("m1"));
    assertEquals(Optional.empty(), fixture.exclusion("m2"));
  }

  @Test
  void membersThatAreAllFull_refuse_untilAConnectionEnds() {
    assumeEndsAreTold();
    fixture.setMember("m1", "connection_limit", "1");
    fixture.setMember("m2", "connection_limit", "1");
    fixture.assertReaches(fixture.first, fixture.open(40_000));
    fixture.assertReaches(fixture.second, fixture.open(40_001));

    assertEquals(new Refused("members_full"), fixture.explain().outcome());
    fixture.assertReset(fixture.client, fixture.open(40_002));
    assertEquals(1, net.refused(RejectReason.MEMBERS_FULL));

    fixture.close(40_000);
    fixture.assertReaches(fixture.first, fixture.open(40_003));
  }

  @Test
  void vipAtItsLimit_refuses_untilAConnectionEnds() {
    fixture.setVip("connection_limit", "2");
    fixture.open(40_000);
    fixture.open(40_001);
    assertEquals(Map.of("v", 2), net.module.vipConnections());

    assertEquals(new Refused("vip_full"), fixture.explain().outcome());
    fixture.assertReset(fixture.client, fixture.open(40_002));
    assertEquals(1, net.refused(RejectReason.VIP_FULL));
    fixture.assertReaches(fixture.first, fixture.send(fixture.client, 40_000, ACK));

    fixture.close(40_001);
    assertEquals(1, fixture.open(40_003).size());
    assertEquals(2, active("m1") + active("m2"));
  }

  /** Its rules are still there, but a new connection on the same port is a new one. */
  @Test
  void portOfAConnectionThatHasEnded_isNoWayAroundALimit() {
    assumeEndsAreTold();
    fixture.setVip("connection_limit", "1");
    fixture.open(40_000);
    fixture.close(40_000);
    fixture.open(40_001);

    fixture.assertReset(fixture.client, fixture.open(40_000));

    fixture.setVip("connection_limit", null);
    fixture.setMember("m1", "connection_limit", "1");
    fixture.close(40_001);
    fixture.assertReaches(fixture.first, fixture.open(40_002));
    fixture.close(40_002);
    fixture.assertReaches(fixture.second, fixture.open(40_003));
    fixture.assertReaches(fixture.first, fixture.open(40_004));
    fixture.assertReaches(fixture.second, fixture.open(40_002));
  }

  /** The client has closed one direction, or its segment was out of the member's window. */
  @ParameterizedTest
  @ValueSource(ints = {Packet.TCP_RST, Packet.TCP_FIN | ACK})
  void connectionThatGoesOnAfterAnEnd_countsAgain_andItsClientIsNotBelieved(int end) {
    assumeEndsAreTold();
    fixture.setVip("connection_limit", "2");
    fixture.open(40_000);
    fixture.send(fixture.client, 40_000, end);
    assertEquals(Map.of("v", 0), net.module.vipConnections());
    for (int seconds = 0; seconds < 40; seconds += 5) {
      net.pass(5);
      fixture.send(fixture.client, 40_000, ACK);
      net.expire();
    }
    assertEquals(Map.of("v", 1), net.module.vipConnections());
    assertEquals(1, active("m1"));

    fixture.send(fixture.client, 40_000, end);
    fixture.open(40_001);
    fixture.send(fixture.client, 40_001, end);
    assertEquals(Map.of("v", 2), net.module.vipConnections(), "until their rules expire");
    fixture.assertReset(fixture.client, fixture.open(40_002));

    net.pass(16);
    net.expire();
    assertEquals(Map.of("v", 0), net.module.vipConnections());
    fixture.send(fixture.other, 40_000, Packet.TCP_SYN);
    fixture.send(fixture.other, 40_000, end);
    assertEquals(Map.of("v", 0), net.module.vipConnections(), "others are believed");

    net.pass(21);
    net.expire();
    net.pass(3_600);
    fixture.open(40_003);
    fixture.send(fixture.client, 40_003, end);
    assertEquals(Map.of("v", 0), net.module.vipConnections(), "an hour later");
  }

  @Test
  void connectionThatHasEnded_doesNotCountAgain() {
    assumeEndsAreTold();
    fixture.open(40_000);
    fixture.close(40_000);
    for (int seconds = 0; seconds < 40; seconds += 5) {
      net.pass(5);
      net.expire();
      assertEquals(Map.of("v", 0), net.module.vipConnections());
    }
  }

  @Test
  void whatGoesOnAfterAPause_isNotRefused() {
    fixture.setVip("connection_limit", "1");
    fixture.assertReaches(fixture.first, fixture.open(40_000));
    fixture.assertReaches(fixture.first, fixture.send(fixture.client, 40_000, ACK));
    net.pass(60);
    net.expire();
    fixture.assertReaches(fixture.second, fixture.open(40_001));

    fixture.assertReaches(fixture.first, fixture.send(fixture.client, 40_000, ACK));

    assertEquals(2, active("m1") + active("m2"));
    fixture.close(40_000);
    fixture.assertReset(fixture.client, fixture.open(40_002));
  }

  @Test
  void limitThatIsLowered_leavesWhatIsOpen_andOneThatIsLiftedLetsIn() {
    for (int port = 40_000; port < 40_004; port++) {
      fixture.open(port);
    }
    fixture.setVip("connection_limit", "1");
    assertEquals(4, active("m1") + active("m2"));
    fixture.assertReset(fixture.client, fixture.open(40_010));

    fixture.setVip("connection_limit", null);

    assertEquals(1, fixture.open(40_011).size());
    assertEquals(5, active("m1") + active("m2"));
  }

  @Test
  void dataOfAnFtpSession_isNotRefusedByALimit() {
    fixture.setVip("connection_limit", "1");
    fixture.setMember("m1", "connection_limit", "1");
    fixture.assertReaches(fixture.first, sendTo(21));

    fixture.assertReaches(fixture.first, sendTo(50_000));
  }

  private List<Delivery> sendTo(int port) {
    return net.send(
        fixture.client,
        Frames.tcp(
            fixture.client.mac(),
            EdgeMac.of(fixture.client.switchId()),
            fixture.client.ip(),
            40_000 + port % 100,
            PolicyFixture.VIP,
            port,
            Packet.TCP_SYN));
  }

  @Test
  void backup_isUsedWhenTheOthersAreFull() {
    fixture.setMember("m2", "backup", "true");
    fixture.setMember("m1", "connection_limit", "1");
    fixture.assertReaches(fixture.first, fixture.open(40_000));

    fixture.assertReaches(fixture.second, fixture.open(40_001));
  }

  /** However many threads place at once. */
  @Test
  void limit_isNeverPassed() throws Exception {
    ConnectionLimiter connectionLimiter = new ConnectionLimiter(IntUnaryOperator.identity());
    Server any = Servers.of(1, 1);
    Server server =
        new Server(any.number(), any.address(), any.port(), 1, any.at(), 100, any.load());
    AtomicInteger held = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Together.run(
        4,
        thread -> {
          for (int i = 0; i < 50_000; i++) {
            if (connectionLimiter.take(7, 90, server) == null) {
              most.accumulateAndGet(held.incrementAndGet(), Math::max);
              if (i % 3 != 0 || i < 40_000) {
                held.decrementAndGet();
                connectionLimiter.giveBack(7, server, BalancerView.EMPTY);
              }
            }
          }
        });

    assertEquals(90, most.get());
    assertEquals(90, connectionLimiter.atVip(7));
    assertEquals(90, server.load().active());
    assertNull(connectionLimiter.take(8, 10, server));
    assertEquals(91, server.load().active());
  }
}
