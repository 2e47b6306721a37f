package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.balancer.api.PlacedConnection;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever operators set: a connection goes where the explanation just before said, or nowhere. */
class ExplanationAgreesTest {
  private static final int CHANGES = 150;

  private static final List<SwitchProfile> PROFILES =
      List.of(
          SwitchProfile.FOUR_TABLES, SwitchProfile.ONE_TABLE_WITH_GROUPS, SwitchProfile.ONE_TABLE);

  private PolicyFixture fixture = new PolicyFixture();
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private int srcPort = 40_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void connection_goesWhereItsExplanationSays(long seed) {
    fixture = new PolicyFixture(new BalancerNetwork(PROFILES.get((int) seed % PROFILES.size())));
    Random random = new Random(seed);
    for (int i = 0; i < CHANGES; i++) {
      change(random);
      openAndCompare(random.nextBoolean() ? fixture.client : fixture.other);
      if (random.nextInt(3) == 0) {
        fixture.close(random.nextInt(40_000, srcPort));
      }
    }
    assertTrue(outcomes.getOrDefault("placed", 0) > CHANGES / 10, () -> "" + outcomes);
    assertTrue(outcomes.size() >= 3, () -> "too few kinds of outcomes: " + outcomes);
  }

  @Test
  void explanation_changesNothing() {
    for (int i = 0; i < 20; i++) {
      fixture.explain();
    }
    openAndCompare(fixture.client);
    assertEquals(1, fixture.net.module.activity().placements().size());
    assertEquals(fixture.net.module.activity().placements(), fixture.net.module.placements());
  }

  private void change(Random random) {
    String member = random.nextBoolean() ? "m1" : "m2";
    switch (random.nextInt(8)) {
      case 0 -> fixture.setMember(member, "admin_state", oneOf(random, "up", "up", "drain"));
      case 1 -> fixture.setMember(member, "backup", oneOf(random, "true", "false"));
      case 2 -> fixture.setMember(member, "connection_limit", oneOf(random, "1", "20", "1000"));
      case 3 -> fixture.setMember(member, "weight", oneOf(random, "0", "1", "5"));
      case 4 -> fixture.setVip("connection_limit", oneOf(random, "2", "30", "1000"));
      case 5 ->
          fixture.setVip("allowed_sources", oneOf(random, "10.0.0.1", "10.0.0.2", "10.0.0.0/8"));
      case 6 -> fixture.setPool("session_persistence", oneOf(random, "type=source_ip", null));
      default -> fixture.setPool("lb_method", oneOf(random, "RR+SPH", "LC+SPH", "WRR+SPH"));
    }
  }

  private static String oneOf(Random random, String... values) {
    return values[random.nextInt(values.length)];
  }

  private void openAndCompare(Host client) {
    int port = srcPort++;
    ExplainedConnection explained =
        fixture
            .net
            .module
            .explain(client.ip(), PolicyFixture.VIP, Protocol.TCP, 80, OptionalInt.empty())
            .orElseThrow();
    Map<String, Long> before = Map.copyOf(fixture.net.module.rejects());
    fixture.send(client, port, Packet.TCP_SYN);

    List<PlacedConnection> opened =
        fixture
            .net
            .module
            .connections(each -> each.request().srcPort() == port, null, 1)
            .connections();
    if (explained.outcome() instanceof Placed placed) {
      assertEquals(1, opened.size(), () -> explained + " but " + rejectedSince(before));
      assertEquals(placed.placement().server().number(), opened.get(0).server().number());
      outcomes.merge("placed", 1, Integer::sum);
    } else {
      String reason = ((Refused) explained.outcome()).reason();
      assertEquals(List.of(), opened, () -> "" + explained);
      // the switch drops what a client that is not allowed sends after its first packet
      assertTrue(
          rejectedSince(before).equals(Map.of(reason, 1L))
              || (reason.equals("not_allowed") && rejectedSince(before).isEmpty()),
          () -> explained + " but " + rejectedSince(before));
      outcomes.merge(reason, 1, Integer::sum);
    }
  }

  private Map<String, Long> rejectedSince(Map<String, Long> before) {
    return fixture.net.module.rejects().entrySet().stream()
        .filter(each -> each.getValue() > before.get(each.getKey()))
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, each -> each.getValue() - before.get(each.getKey())));
  }
}
