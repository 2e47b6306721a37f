package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats.State;
import io.malob.testing.SwitchProfile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A VIP that is proactive only under load. */
@ParameterizedClass
@EnumSource(
    value = SwitchProfile.class,
    names = {"FOUR_TABLES", "ONE_TABLE"})
class AutoPlacementTest {
  private static final int CALM_SECONDS = 20;

  private final SwitchProfile profile;
  private final ProactiveFixture fixture;
  private final Host client;

  AutoPlacementTest(SwitchProfile profile) {
    this.profile = profile;
    Map<String, String> settings =
        Map.of(
            "autoPerSecond", "100",
            "autoHalfOpen", "50",
            "autoCalmSeconds", Integer.toString(CALM_SECONDS));
    fixture =
        new ProactiveFixture(new BalancerNetwork(profile, settings), "placement", "auto").settle();
    client = fixture.client;
  }

  /** That many complete connections, all of which the client ends at once. */
  private void openAndEnd(int count, int firstPort) {
    for (int i = 0; i < count; i++) {
      Host member = fixture.open(client, firstPort + i);
      fixture.send(client, firstPort + i, ProactiveFixture.FIN);
      fixture.reply(member, client, firstPort + i, ProactiveFixture.FIN);
    }
  }

  @Test
  void calmVip_isReactive() {
    openAndEnd(20, 40_000);
    fixture.pass(3);

    assertEquals(State.REACTIVE, fixture.stats().state());
    assertEquals(List.of(), fixture.allRules());
  }

  @Test
  void rateOfNewConnections_makesItProactive_untilItIsCalm() {
    openAndEnd(120, 40_000);
    fixture.pass(2);
    assertEquals(State.PROACTIVE, fixture.stats().state());
    assertEquals(64, fixture.buckets(fixture.s1).size());

    // in one table, SYNs are not counted: the smoothed rate of packets falls later
    fixture.pass(CALM_SECONDS + MOVE_SECONDS + 20);

    assertEquals(State.REACTIVE, fixture.stats().state());
    assertEquals(List.of(), fixture.allRules());
  }

  /** The connections that buckets place count, too. */
  @Test
  void lastingLoad_keepsItProactive() {
    openAndEnd(120, 40_000);
    fixture.pass(2);
    for (int second = 0; second < 3 * CALM_SECONDS; second++) {
      openAndEnd(70, 41_000);
      fixture.pass(1);
    }

    assertEquals(State.PROACTIVE, fixture.stats().state());
    assertEquals(64, fixture.buckets(fixture.s1).size());
    assertEquals(0, fixture.moving(fixture.s1));
  }

  /** Members may not answer SYNs, for example those with wrong checksums. */
  @Test
  void lastingFloodOfUnansweredSyns_keepsItProactive() {
    openAndEnd(120, 40_000);
    fixture.pass(2);
    for (int second = 0; second < 3 * CALM_SECONDS; second++) {
      for (int i = 0; i < 70; i++) {
        fixture.memberOf(client, 41_000 + i, SYN);
      }
      fixture.pass(1);
    }
    assertEquals(State.PROACTIVE, fixture.stats().state());
    assertEquals(0, fixture.moving(fixture.s1));

    fixture.pass(CALM_SECONDS + MOVE_SECONDS + 10);
    assertEquals(State.REACTIVE, fixture.stats().state());
  }

  /** A long upload is no flood, if SYNs are counted: that takes a second table. */
  @Test
  void manyPacketsOfFewConnections_doNotKeepItProactive() {
    assumeTrue(profile == SwitchProfile.FOUR_TABLES);
    openAndEnd(120, 40_000);
    fixture.pass(2);
    Host member = fixture.open(client, 41_000);
    for (int second = 0; second < CALM_SECONDS + MOVE_SECONDS + 10; second++) {
      for (int i = 0; i < 500; i++) {
        assertEquals(member, fixture.memberOf(client, 41_000, ACK));
      }
      fixture.pass(1);
    }

    assertEquals(State.REACTIVE, fixture.stats().state());
  }

  @Test
  void halfOpenConnections_makeItProactive() {
    for (int i = 0; i < 60; i++) {
      fixture.memberOf(client, 40_000 + i, SYN);
      fixture.pass(i % 10 == 0 ? 1 : 0);
    }
    fixture.pass(2);

    assertEquals(State.PROACTIVE, fixture.stats().state());
  }

  /** Their rules have timed out, so their buckets would lead some of them elsewhere. */
  @Test
  void dormantConnections_arePinnedWhenItBecomesProactive() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.stream()
        .sorted(Comparator.comparing(port -> port % 4)) // members take turns otherwise than buckets
        .forEach(port -> members.put(port, fixture.open(client, port)));
    fixture.pass(25);
    openAndEnd(120, 50_000);
    fixture.pass(3);
    assertEquals(State.PROACTIVE, fixture.stats().state());

    fixture.withoutController();
    Map<Integer, Host> byBucket = new HashMap<>();
    ALL_BUCKETS.forEach(port -> byBucket.put(port, fixture.memberOf(fixture.other, port, SYN)));
    assertNotEquals(members, byBucket, "all of them could have been placed by their buckets");
    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
  }

  @Test
  void openConnections_stayWhenItBecomesProactiveAndWhenItIsReactiveAgain() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    openAndEnd(120, 50_000);

    for (int second = 0; second < CALM_SECONDS + MOVE_SECONDS + 60; second += 5) {
      fixture.pass(5);
      members.forEach((port, member) -> assertEquals(member, fixture.memberOf(client, port, ACK)));
    }
    assertEquals(State.REACTIVE, fixture.stats().state());
  }

  @Test
  void restartedController_staysProactiveUntilItIsCalm() {
    openAndEnd(120, 40_000);
    fixture.pass(2);
    ProactiveFixture after =
        new ProactiveFixture(
            fixture.net.restarted(Map.of("autoCalmSeconds", Integer.toString(CALM_SECONDS))),
            "placement",
            "auto");
    after.pass(5);
    assertEquals(64, after.buckets(after.s1).size());
    assertEquals(State.PROACTIVE, after.stats().state());

    after.pass(CALM_SECONDS + MOVE_SECONDS + 70);

    assertEquals(List.of(), after.allRules());
  }
}
