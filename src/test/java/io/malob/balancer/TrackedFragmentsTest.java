package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.FlowLayout;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeRule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.TransportPort;

/** The rules for fragments of datagrams, which VIPs and members of one address share. */
class TrackedFragmentsTest {
  private static final TransportPort NONE = TransportPort.of(0);

  private ProactiveFixture fixture;

  private void setUp(String vip) {
    fixture = ProactiveFixture.tracked(vip, "protocol", "udp");
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), fixture.net.network.refusals());
  }

  private List<FakeRule> rules(DatapathId at, int priority) {
    return fixture.net.table(at).rules().stream()
        .filter(rule -> rule.priority() == priority)
        .toList();
  }

  private long opening() {
    return rules(fixture.s1, FlowLayout.PRIORITY_OPEN_BY_FRAGMENT).size();
  }

  private long lookingUp() {
    return rules(fixture.s1, FlowLayout.PRIORITY_TRACKED_FRAGMENTS).size();
  }

  private long opening(Host to) {
    return rules(fixture.s1, FlowLayout.PRIORITY_OPEN_BY_FRAGMENT).stream()
        .filter(rule -> rule.instructions().toString().contains(to.address().toString()))
        .count();
  }

  /** Those for what members send in fragments. */
  private long ofMembers() {
    return rules(fixture.s3, FlowLayout.PRIORITY_MEMBER_REPLY).stream()
        .filter(rule -> NONE.equals(rule.match().get(MatchField.UDP_SRC)))
        .count();
  }

  private void createOther(String otherAddress) {
    fixture.net.create(
        Catalog.VIPS,
        "id",
        "w",
        "address",
        otherAddress,
        "protocol",
        "udp",
        "port",
        "90",
        "placement",
        "tracked");
    fixture.net.create(Catalog.POOLS, "id", "q", "vip_id", "w", "lb_method", "WRR");
    fixture.net.create(
        Catalog.MEMBERS,
        "id",
        "m3",
        "address",
        fixture.m1.address().toString(),
        "port",
        "9090",
        "pool_id",
        "q");
    fixture.pass(4);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, 1", "fd00::64, 2"})
  void otherVipOfTheAddress_leavesConnectionsThatBeginWithFragmentsToNone(String vip, int matches) {
    setUp(vip);
    assertEquals(128, opening());
    assertEquals(matches, lookingUp());

    createOther(vip);
    assertEquals(0, opening());
    assertEquals(matches, lookingUp());

    fixture.net.delete(Catalog.VIPS, "v");
    fixture.pass(4);
    assertEquals(128, opening());
    assertEquals(matches, lookingUp());

    fixture.net.delete(Catalog.VIPS, "w");
    fixture.pass(4);
    assertEquals(0, opening());
    assertEquals(0, lookingUp());
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, 10.0.0.101", "fd00::64, fd00::65"})
  void memberOfTwoVips_sendsFragmentsOfNeither(String vip, String other) {
    setUp(vip);
    assertEquals(2, ofMembers());

    createOther(other);
    assertEquals(1, ofMembers());
    assertEquals(256, opening());

    fixture.net.delete(Catalog.VIPS, "w");
    fixture.pass(4);
    assertEquals(2, ofMembers());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void openedConnections_haveTheSharesOfBuckets(String vip) {
    setUp(vip);
    fixture.setMember("m1", "weight", "3");
    fixture.pass(8);

    Map<Integer, Long> buckets = fixture.byMember(fixture.s1);
    assertTrue(buckets.values().stream().mapToLong(Long::longValue).max().orElse(0) > 40);
    buckets.forEach(
        (member, count) -> assertEquals(2 * count, opening(fixture.host(member)), "per bucket"));

    fixture.setMember("m1", "admin_state", "down");
    fixture.pass(1);
    assertEquals(128, opening(fixture.m2));
  }

  @ParameterizedTest
  @CsvSource({"connection_limit, 9", "allowed_sources, 10.0.0.0/24"})
  void clientsThatTheControllerMustSee_openNone(String field, String value) {
    setUp("10.0.0.100");
    assertTrue(opening() > 0);

    fixture.setVip(field, value);
    fixture.pass(4);

    assertEquals(0, opening());
    assertEquals(1, lookingUp());
  }
}
