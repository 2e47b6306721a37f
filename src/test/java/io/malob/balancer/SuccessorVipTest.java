package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.CookieKind;
import io.malob.state.catalog.Catalog;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A VIP takes the place of a proactive one. From its first packet on, the controller places its
 * connections and knows each, as no bucket is left.
 */
@EachSwitchProfile
class SuccessorVipTest {
  private final ProactiveFixture fixture;
  private final BalancerNetwork net;

  SuccessorVipTest(SwitchProfile profile) {
    net = new BalancerNetwork(profile, Map.of());
    fixture = new ProactiveFixture(net).settle();
    assertNotEquals(0, fixture.buckets(fixture.s1).size());
  }

  @Test
  void vipIsDeleted() {
    net.delete(Catalog.VIPS, "v");

    assertSuccessorPlaces();
  }

  @Test
  void vipIsDeleted_whileASwitchIsAway() {
    net.disconnect(fixture.s1);
    net.delete(Catalog.VIPS, "v");
    createSuccessor();
    net.reconnect(fixture.s1);
    net.explore(fixture.s1);

    assertControllerPlaces();
  }

  @Test
  void vipHasAnotherPort() {
    fixture.setVip("port", "81");

    assertSuccessorPlaces();
  }

  @Test
  void vipHasAnotherAddress() {
    fixture.setVip("address", "10.0.0.101");

    assertSuccessorPlaces();
  }

  @Test
  void vipHasNoPool_untilItGetsAnother() {
    net.delete(Catalog.POOLS, "p");
    fixture.setVip("placement", "reactive");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "v");
    net.create(Catalog.MEMBERS, "id", "n1", "address", "10.0.0.11", "port", "8080", "pool_id", "q");

    assertControllerPlaces();
  }

  private void assertSuccessorPlaces() {
    createSuccessor();
    assertControllerPlaces();
  }

  private void createSuccessor() {
    String vip = fixture.vip.toString();
    net.create(Catalog.VIPS, "id", "w", "address", vip, "protocol", "tcp", "port", "80");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "n1", "address", "10.0.0.11", "port", "8080", "pool_id", "q");
  }

  private void assertControllerPlaces() {
    for (DatapathId each : List.of(fixture.s1, fixture.s2, fixture.s3, fixture.s4)) {
      assertEquals(List.of(), fixture.rules(each, CookieKind.BUCKET), each.toString());
    }
    Map<Host, Integer> firstPorts = Map.of(fixture.client, 0, fixture.other, 32);
    firstPorts.forEach(
        (client, first) -> {
          for (int port : ALL_BUCKETS.subList(first, first + 32)) {
            assertEquals(fixture.m1, fixture.memberOf(client, port, SYN));
            assertEquals(fixture.m1, fixture.memberOf(client, port, ACK));
          }
        });
    assertEquals(64, net.module.connections(any -> true, null, 100).connections().size());
    assertEquals(List.of(), net.network.refusals());
  }
}
