package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.assertReaches;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Routers at two switches, of which one takes over the other's clients of a proactive VIP. */
@EachSwitchProfile
class ProactiveFailoverTest {
  private final ProactiveFixture fixture;
  private final Host first;
  private final Host second;

  ProactiveFailoverTest(SwitchProfile profile) {
    fixture = new ProactiveFixture(new BalancerNetwork(profile, Map.of()));
    fixture.settle();
    first = fixture.router(fixture.s1, 4);
    second = Host.of(fixture.s2, 4, "10.0.0.5");
    fixture.askForVip(first);
    fixture.pass(2);
  }

  /** A client behind the first router opens a connection in each bucket. */
  private Map<Integer, Host> openAll() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(fixture.behind(first, 1), port)));
    return members;
  }

  private void assertGoOn(Map<Integer, Host> members) {
    members.forEach(
        (port, member) ->
            assertEquals(member, fixture.memberOf(fixture.behind(second, 1), port, ACK)));
  }

  /** Its switch has no buckets then. */
  @Test
  void routerThatWasSilentUntilItTakesOver_sendsOpenConnectionsToTheirMembers() {
    Map<Integer, Host> members = openAll();

    assertGoOn(members);

    fixture.net.learn(second);
    fixture.pass(4);
    assertEquals(64, fixture.buckets(fixture.s2).size());
    assertGoOn(members);
    members.forEach(
        (port, member) -> {
          Host client = fixture.behind(second, 1);
          assertReaches(client, fixture.reply(member, client, port, ACK));
        });
  }
}
