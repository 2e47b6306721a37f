package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv6Address;

/** A proactive VIP with an IPv6 address: restart, moves, and clients behind a router. */
class ProactiveIpv6Test extends OnEachProfile {
  private final ProactiveFixture fixture;
  private final Host client;

  ProactiveIpv6Test(SwitchProfile profile) {
    super(profile);
    fixture = new ProactiveFixture(network(), IPv6Address.of("fd00::64")).settle();
    client = fixture.client;
  }

  private Map<Integer, Host> openAll() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    return members;
  }

  @Test
  void restart_changesNoBucketAndBreaksNoConnection() {
    Map<Integer, Host> members = openAll();
    fixture.pass(2);

    ProactiveFixture after = fixture.restarted();
    after.pass(70);

    assertEquals(64, after.buckets(after.s1).size());
    assertEquals(0, after.stats().moves());
    after.askForVip(client);
    after.withoutController();
    members.forEach(
        (port, member) -> {
          assertEquals(member, after.memberOf(client, port, ACK));
          after.assertAnswered(member, client, port, ACK);
        });
  }

  @Test
  void drainedMember_keepsEstablishedConnectionsAndGetsNoNewOnes() {
    Map<Integer, Host> members = openAll();
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(2);
    ALL_BUCKETS.forEach(
        port -> assertEquals(members.get(port), fixture.memberOf(client, port, ACK)));
    fixture.pass(MOVE_SECONDS + 1);

    fixture.withoutController();
    ALL_BUCKETS.forEach(
        port -> {
          assertEquals(members.get(port), fixture.memberOf(client, port, ACK));
          assertEquals(fixture.m2, fixture.memberOf(fixture.other, port, SYN));
        });
  }

  @Test
  void clientsOfARouter_areServedWithoutAController_andHaveNoRulesOfTheirOwn() {
    Host router = fixture.router(fixture.s1, 4);
    fixture.askForVip(router);
    fixture.pass(2);
    int rules = fixture.rules();
    fixture.withoutController();

    for (int i = 0; i < 200; i++) {
      fixture.open(fixture.behind(router, i), 50_000 + i);
    }

    assertEquals(rules, fixture.rules());
  }

  @Test
  void routerThatTheMembersHaveChosen_getsTheFirstReplyByTheController_andTheNextByRules() {
    Host router = fixture.router(fixture.s1, 4);

    fixture.open(fixture.behind(router, 1), 50_000);
    fixture.pass(1);
    fixture.withoutController();

    fixture.open(fixture.behind(router, 2), 50_000);
  }

  @Test
  void replyToANextHopThatNobodyKnows_isDropped() {
    Host stranger =
        Host.of(fixture.s1, 4, fixture.behind(fixture.client, 118).address().toString());
    Host member = fixture.memberOf(stranger, 50_000, SYN);
    assertEquals(List.of(), fixture.reply(member, stranger, 50_000, SYN_ACK));
  }
}
