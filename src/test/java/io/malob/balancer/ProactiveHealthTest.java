package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.packet.Packet;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members of proactive VIPs that are checked. */
@EachSwitchProfile
class ProactiveHealthTest {
  private final ProactiveFixture fixture;
  private final BalancerNetwork net;
  private final Host client;
  private final Host m1;
  private final Host m2;

  ProactiveHealthTest(SwitchProfile profile) {
    net = new BalancerNetwork(profile, Map.of());
    fixture = new ProactiveFixture(net);
    client = fixture.client;
    m1 = fixture.m1;
    m2 = fixture.m2;
    net.monitor("TCP", "delay", "1", "rise", "1");
    fixture.askForVip(client);
    pass(40, m1, m2);
    assertEquals(Set.of(32L), Set.copyOf(fixture.byMember(fixture.s1).values()));
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  /** Time passes, a quarter of a second at a time, and these members answer their checks. */
  private void pass(int ticks, Host... answering) {
    for (int tick = 0; tick < ticks; tick++) {
      tick(answering);
    }
  }

  private void tick(Host... answering) {
    net.delivered.clear();
    net.passMillis(250);
    net.expire();
    List.copyOf(net.delivered)
        .forEach(
            each -> {
              Packet probe = Packet.parse(each.frame());
              for (Host member : answering) {
                if (probe.isTcpSyn() && probe.dstAddress() == member.ip().getInt()) {
                  net.send(member, Frames.synAck(member.mac(), each.frame()));
                }
              }
            });
  }

  private void untilDown() {
    while (net.stats("m2").health() != Health.DOWN) {
      tick(m1);
    }
  }

  @Test
  void memberThatIsDown_getsNoConnectionFromThenOn() {
    untilDown();

    for (int port : ALL_BUCKETS) {
      assertEquals(m1, fixture.open(client, port));
    }
  }

  @Test
  void memberThatIsSetDown_getsNoConnectionFromThenOn() {
    fixture.setMember("m2", "admin_state", "down");

    for (int port : ALL_BUCKETS) {
      assertEquals(m1, fixture.open(client, port));
    }
  }

  /** The controller places the connections of buckets that move. */
  @Test
  void memberThatIsDown_getsNoConnectionOfBucketsThatMoveToIt() {
    fixture.setMember("m1", "weight", "0");
    pass(4, m1, m2);
    assertEquals(32, fixture.moving(fixture.s1));
    fixture.setMember("m1", "weight", "1");
    untilDown();

    for (int port : ALL_BUCKETS) {
      assertEquals(m1, fixture.open(client, port));
    }
  }

  @Test
  void requestToAMemberThatIsGone_reachesAnotherOnceItIsDown() {
    List<Integer> lost =
        ALL_BUCKETS.stream()
            .filter(port -> fixture.memberOf(client, port, SYN).equals(m2))
            .toList();
    assertNotEquals(List.of(), lost);
    untilDown();
    pass(2, m1);

    for (int port : lost) {
      assertEquals(m1, fixture.open(client, port));
    }
    pass(20, m1);
    for (int port : lost) {
      assertEquals(m1, fixture.memberOf(client, port, ACK));
    }
  }
}
