package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.PlacedConnection;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Random connections begin, go on, end and expire while the master tells the standby of them, with
 * pauses. Then the master dies at any moment, and clients go on before, while and after the standby
 * reads the switches.
 *
 * <pre>
 *  clients --s1 2---1 s2 2---1 s3-- members
 * </pre>
 */
class ReplicaSimulationTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int PORTS = 12;
  private static final int SEEDS = 40;

  /** What replicas tell each other does not depend on the profile. */
  private static final int SEEDS_OF_ANOTHER_PROFILE = 10;

  private final ControllerPair pair = pair(Map.of(), false);
  private final DatapathId s1 = pair.addSwitch(1);
  private final DatapathId s2 = pair.addSwitch(2);
  private final DatapathId s3 = pair.addSwitch(3);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final List<Host> members =
      List.of(
          Host.of(s3, 2, "10.0.0.11"), Host.of(s3, 3, "10.0.0.12"), Host.of(s3, 4, "10.0.0.13"));

  /** The members of the connections that their clients have not ended, by the clients' ports. */
  private final Map<Integer, DatapathPort> expected = new HashMap<>();

  private BalancerNetwork master = pair.a;

  ReplicaSimulationTest(SwitchProfile profile) {
    super(profile);
  }

  private record DatapathPort(DatapathId switchId, int port) {}

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 200, 300})
  void survivor_agreesWithTheSwitches_andMovesNoConnection(int firstSeed) {
    int seeds = profile == SwitchProfile.FOUR_TABLES ? SEEDS : SEEDS_OF_ANOTHER_PROFILE;
    for (int seed = firstSeed; seed < firstSeed + seeds; seed++) {
      ReplicaSimulationTest run = seed == firstSeed ? this : new ReplicaSimulationTest(profile);
      run.simulate(new Random(seed), "seed " + seed);
    }
  }

  private void simulate(Random random, String seed) {
    pair.link(s1, 2, s2, 1);
    pair.link(s2, 2, s3, 1);
    members.forEach(pair::learn);
    pair.webService(members.toArray(new Host[0]));
    if (random.nextBoolean()) {
      pair.meet();
    }
    int steps = 10 + random.nextInt(60);
    for (int i = 0; i < steps; i++) {
      step(random, seed);
      if (random.nextInt(4) == 0) {
        pair.talk();
      }
      if (random.nextInt(20) == 0) {
        pair.peersOfA.room = random.nextBoolean() ? 0 : Integer.MAX_VALUE;
      }
      if (random.nextInt(20) == 0) {
        pair.meet();
      }
    }
    pair.kill();
    master = pair.b;
    if (random.nextBoolean()) {
      pair.b.holdStatistics();
    }
    for (DatapathId switchId : List.of(s1, s2, s3)) {
      pair.takeOver(switchId);
      for (int i = random.nextInt(3); i > 0; i--) {
        goOnOrBegin(port(random), seed);
      }
    }
    for (int i = random.nextInt(10); i > 0; i--) {
      goOnOrBegin(port(random), seed);
    }
    pair.b.releaseStatistics();
    pair.pass(10);
    for (int port = 40_000; port < 40_000 + PORTS; port++) {
      goOn(port, seed);
    }
    pair.pass(130);
    assertAgrees(seed);
  }

  private static int port(Random random) {
    return 40_000 + random.nextInt(PORTS);
  }

  private void step(Random random, String seed) {
    int port = port(random);
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> goOnOrBegin(port, seed);
      case 3 -> {
        send(port, Packet.TCP_FIN | Packet.TCP_ACK, seed);
        expected.remove(port);
      }
      case 4 -> expire(port);
      default -> goOn(port, seed);
    }
  }

  private void goOnOrBegin(int port, String seed) {
    if (expected.containsKey(port)) {
      goOn(port, seed);
    } else {
      send(port, Packet.TCP_SYN, seed);
    }
  }

  private void goOn(int port, String seed) {
    if (expected.containsKey(port)) {
      send(port, Packet.TCP_ACK, seed);
    }
  }

  private void send(int port, int flags, String seed) {
    master.delivered.clear();
    List<Delivery> out =
        new ArrayList<>(
            master.send(
                client,
                Frames.tcp(
                    client.mac(),
                    EdgeMac.of(client.switchId()),
                    client.ip(),
                    port,
                    VIP,
                    80,
                    flags)));
    out.addAll(master.delivered);
    for (Delivery each : out) {
      if (each.switchId().equals(s1)) {
        // a connection that was never known to the client's new controller is reset, as after a
        // restart, but none that is known to its switch
        expected.remove(port);
        assertTrue(!hasRule(port), () -> seed + ": " + port + " was reset");
        continue;
      }
      DatapathPort at = new DatapathPort(each.switchId(), each.port().getPortNumber());
      DatapathPort before = expected.get(port);
      if (before != null) {
        assertEquals(before, at, () -> seed + ": " + port + " has another member");
      } else if (flags == Packet.TCP_SYN) {
        expected.put(port, at);
      }
    }
  }

  private boolean hasRule(int port) {
    return requests().containsKey(port);
  }

  /**
   * Rules expire after seconds: until then, the standby has heard of the connection, or is lost.
   */
  private void expire(int port) {
    pair.talk();
    if (pair.peersOfA.room == 0) {
      return;
    }
    rules(CookieKind.REQUEST, s1).stream()
        .filter(rule -> port == portOf(rule))
        .forEach(rule -> master.timeOut(s1, rule));
  }

  private List<FakeRule> rules(CookieKind kind, DatapathId at) {
    return pair.a.table(at).rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), kind))
        .toList();
  }

  private static int portOf(FakeRule rule) {
    return rule.match().get(MatchField.TCP_SRC).getPort();
  }

  private Map<Integer, FakeRule> requests() {
    Map<Integer, FakeRule> byPort = new TreeMap<>();
    rules(CookieKind.REQUEST, s1).forEach(rule -> byPort.put(portOf(rule), rule));
    return byPort;
  }

  private void assertAgrees(String seed) {
    Map<Integer, FakeRule> rules = requests();
    Set<Integer> open = new TreeSet<>();
    pair.b.module.connections(any -> true, null, 1_000).connections().stream()
        .filter(each -> each.route() != null)
        .forEach(
            each -> {
              int port = each.request().srcPort();
              open.add(port);
              FakeRule rule = rules.get(port);
              assertTrue(rule != null, () -> seed + ": no rule of " + port);
              assertEquals(
                  each.server().number(), Cookie.memberNumber(rule.cookie()), seed + ": " + port);
              assertEquals(each.generation(), Cookie.generation(rule.cookie()), seed + ": " + port);
            });
    assertEquals(rules.keySet(), open, seed);
    long active =
        pair.b.module.connections(any -> true, null, 1_000).connections().stream()
            .filter(each -> each.phase() == PlacedConnection.Phase.OPEN)
            .count();
    assertEquals(active, pair.b.module.vipStats().get("v").activeConnections(), seed);
    long ofMembers =
        pair.b.module.memberStats().values().stream()
            .mapToLong(each -> each.activeConnections())
            .sum();
    assertEquals(active, ofMembers, seed);
    // one meaning per label: the rules of each lead along one path
    Set<String> labels =
        pair.b.module.paths().stream()
            .map(each -> each.label().toString())
            .collect(Collectors.toSet());
    assertEquals(pair.b.module.paths().size(), labels.size(), seed);
  }
}
