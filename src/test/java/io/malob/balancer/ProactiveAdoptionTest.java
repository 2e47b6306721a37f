package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Established connections whose buckets move, when limits of new connections are reached. */
class ProactiveAdoptionTest {
  private static final int LIMIT = 10;

  private final Map<Integer, Host> members = new HashMap<>();

  private ProactiveFixture drained(String setting) {
    ProactiveFixture fixture = new ProactiveFixture(Map.of(setting, String.valueOf(LIMIT)));
    fixture.settle();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(fixture.client, port)));
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(2);
    assertEquals(32, fixture.moving(fixture.s1));
    return fixture;
  }

  private void assertAllGoOn(ProactiveFixture fixture) {
    for (int port : ALL_BUCKETS) {
      assertEquals(members.get(port), fixture.memberOf(fixture.client, port, ACK));
      fixture.assertAnswered(members.get(port), fixture.client, port, ACK);
    }
  }

  @Test
  void connectionsBeyondTheTable_goOnPacketByPacket() {
    ProactiveFixture fixture = drained("maxConnections");
    assertAllGoOn(fixture);
    assertAllGoOn(fixture);
    assertEquals(LIMIT, fixture.net.module.counters().openConnections());
    assertEquals(0, fixture.net.refused(RejectReason.LIMIT));
  }

  @Test
  void connectionsAtTheHalfOpenLimit_goOn() {
    ProactiveFixture fixture = drained("maxHalfOpen");
    for (int port : ALL_BUCKETS) {
      fixture.send(fixture.other, port + 1, SYN);
    }
    assertEquals(LIMIT, fixture.net.module.vipStats().get("v").halfOpenConnections());
    assertAllGoOn(fixture);
    assertEquals(LIMIT, fixture.net.module.vipStats().get("v").halfOpenConnections());
  }
}
