package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.state.catalog.Catalog;
import io.malob.testing.KnownDefect;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv6Address;

/** What proactive placement is to do, and does not do yet. */
class ProactiveDefectsTest {
  @Test
  void clientWhoseSwitchIsGone_keepsNoVipReactive() {
    ProactiveFixture fixture = new ProactiveFixture().settle();
    BalancerNetwork net = fixture.net;
    Host gone = Host.of(fixture.s4, 5, "10.0.0.5");
    net.learn(gone);
    fixture.askForVip(gone);
    fixture.pass(4);
    net.unlink(fixture.s1, 12);
    net.unlink(fixture.s3, 12);
    net.disconnect(fixture.s4);
    fixture.pass(4);

    net.create(
        Catalog.VIPS,
        "id",
        "w",
        "address",
        fixture.vip.toString(),
        "protocol",
        "tcp",
        "port",
        "443",
        "placement",
        "proactive");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "n1", "address", "10.0.0.11", "port", "8443", "pool_id", "q");
    fixture.pass(120);

    assertEquals(2 * 64, fixture.buckets(fixture.s1).size());
  }

  /** Those of IPv4 are known by the rules that answer their ARP requests. */
  @Test
  @KnownDefect("After a restart, IPv6 clients get no answers until they send a solicitation.")
  void ipv6ClientsOfAnEarlierRun_getAnswers() {
    ProactiveFixture before =
        new ProactiveFixture(new BalancerNetwork(Map.of()), IPv6Address.of("fd00::64")).settle();
    assertAnsweredAfterARestart(before);
  }

  @Test
  void ipv4ClientsOfAnEarlierRun_getAnswers() {
    assertAnsweredAfterARestart(new ProactiveFixture().settle());
  }

  private static void assertAnsweredAfterARestart(ProactiveFixture before) {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, before.open(before.client, port)));
    before.pass(2);

    ProactiveFixture after = before.restarted();
    after.net.forget(after.client); // it sends nothing by which it could be learned
    after.pass(70);

    members.forEach(
        (port, member) -> {
          assertEquals(member, after.memberOf(after.client, port, ACK));
          after.assertAnswered(member, after.client, port, ACK);
        });
  }

  @Test
  @KnownDefect("The first client of an edge is not served while the controller is away.")
  void edgeWithoutKnownClients_isPrepared() {
    ProactiveFixture fixture = new ProactiveFixture().settle();
    Host first = Host.of(fixture.s2, 5, "10.0.0.6");
    fixture.withoutController();

    Host member = fixture.memberOf(first, 40_000, SYN);
    fixture.assertAnswered(member, first, 40_000, SYN_ACK);
  }
}
