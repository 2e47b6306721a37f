package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.LinkStats;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.state.catalog.Catalog;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.SwitchProfile;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** Two edges with the same clients: their buckets lead to the same members. */
@EachSwitchProfile
class ProactiveSharedEdgesTest {
  private static final Map<String, String> ROUTERS =
      Map.of("routers", "10.0.0.4, 10.0.0.5, 00:00:5e:00:01:01");

  private ProactiveFixture fixture;
  private BalancerNetwork net;
  private final DatapathId s1;
  private final DatapathId s2;
  private final Host first;
  private final Host second;
  private final Host near;
  private boolean hasNear;

  /** Whether the link between the two edges has little capacity left. */
  private boolean isNarrow = true;

  ProactiveSharedEdgesTest(SwitchProfile profile) {
    net = new BalancerNetwork(profile, ROUTERS);
    fixture = new ProactiveFixture(net).settle();
    s1 = fixture.s1;
    s2 = fixture.s2;
    first = fixture.router(s1, 4);
    second = Host.of(s2, 4, "10.0.0.5");
    near = Host.of(s2, 6, "10.0.0.13");
    fixture.askForVip(first);
    fixture.pass(2);
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  private void arrive(Host router) {
    net.learn(router);
    fixture.askForVip(router);
    pass(4);
  }

  /** A host opens a connection in each bucket. */
  private Map<Integer, Host> openAll(Host from) {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(from, port)));
    return members;
  }

  private void assertGoOn(Map<Integer, Host> members, Host from) {
    members.forEach((port, member) -> assertEquals(member, fixture.memberOf(from, port, ACK)));
  }

  /** The number of the member of each bucket of a switch, with a star if the bucket moves. */
  private List<String> table(DatapathId at) {
    List<BucketCookie> all = fixture.buckets(at);
    int count = all.stream().mapToInt(bucket -> bucket.key().count()).max().orElseThrow();
    List<BucketCookie> finest =
        all.stream()
            .filter(bucket -> bucket.key().count() == count)
            .sorted(Comparator.comparing(BucketCookie::index))
            .toList();
    assertEquals(count, finest.size());
    return finest.stream()
        .map(bucket -> bucket.memberNumber() + (bucket.isMoving() ? "*" : ""))
        .toList();
  }

  /** The part of the first edge's buckets that lead to the near member. */
  private double nearPart() {
    List<String> table = table(s1);
    String number = String.valueOf(fixture.number("m3"));
    return (double) Collections.frequency(table, number) / table.size();
  }

  /** In how many buckets two tables differ. */
  private static long differences(List<String> one, List<String> other) {
    return IntStream.range(0, one.size())
        .filter(index -> !one.get(index).equals(other.get(index)))
        .count();
  }

  private void setWeights(int ofFirst, int ofSecond) {
    fixture.setMember("m1", "weight", String.valueOf(ofFirst));
    fixture.setMember("m2", "weight", String.valueOf(ofSecond));
  }

  /** Buckets move in several steps, and rest in between. */
  private void settleShares() {
    pass(10 * MOVE_SECONDS);
  }

  /** The buckets of the first edge have moved, so that a new assignment would be another one. */
  @Test
  void edgeOfASecondRouter_takesOverTheBucketsOfTheFirst() {
    setWeights(3, 1);
    settleShares();
    arrive(second);

    assertEquals(table(s1), table(s2));
    Map<Integer, Host> members = openAll(fixture.behind(first, 1));
    fixture.withoutController();
    assertGoOn(members, fixture.behind(second, 1));
    members.forEach(
        (port, member) -> fixture.assertAnswered(member, fixture.behind(second, 1), port, ACK));
  }

  /** The controller knows the second router as one only after its edge has buckets of its own. */
  @Test
  void edgeThatTurnsOutToShareClients_followsByMoves_thatBreakNoConnection() {
    setWeights(3, 1);
    settleShares();
    Host neighbour = Host.of(s2, 5, "10.0.0.7");
    arrive(neighbour);
    assertNotEquals(table(s1), table(s2));
    Map<Integer, Host> ofNeighbour = openAll(neighbour);

    arrive(second);
    for (int second = 0; second < 6 * MOVE_SECONDS; second++) {
      pass(1);
      assertTrue(fixture.moving(s2) < 24, "about a quarter of the buckets at a time");
      assertGoOn(ofNeighbour, neighbour);
    }

    assertEquals(table(s1), table(s2));
    Map<Integer, Host> members = openAll(fixture.behind(first, 1));
    assertGoOn(members, fixture.behind(second, 1));
  }

  @Test
  void bucketsMoveTogether_whenMeasurementsChange() {
    arrive(second);
    addNearMember();
    assertEquals(0.5, nearPart(), 0.06);

    isNarrow = false;
    Set<Long> moving = new HashSet<>();
    for (int second = 0; second < 10 * MOVE_SECONDS; second++) {
      pass(1);
      assertEquals(table(s1), table(s2));
      moving.add(fixture.moving(s1));
    }

    assertTrue(moving.size() > 1, moving.toString());
    assertNotEquals(0.5, nearPart(), 0.08);
  }

  /** A third member is near for the second edge only, so that its buckets would be others. */
  private void addNearMember() {
    hasNear = true;
    net.learn(near);
    fixture.set(Catalog.POOLS, "p", "lb_method", "PREQUAL");
    fixture.addMember("m3", near);
    settleShares();
  }

  /** Time passes. If there is a near member, links are measured. */
  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      if (hasNear) {
        measure();
      }
      fixture.pass(1);
    }
  }

  private void measure() {
    Topology topology =
        Topology.of(net.switchIds(), net.module.links().stream().map(LinkStats::link).toList());
    net.linkTracker.setTopology(topology);
    for (DirectedLink link : topology.links()) {
      boolean isFull = isNarrow && Set.of(s1, s2).equals(Set.of(link.src(), link.dst()));
      net.linkTracker.latency(link, TimeUnit.MILLISECONDS.toNanos(10), net.nanoTime.get());
      net.linkTracker.use(link, isFull ? 95e6 : 0, 100e6, net.nanoTime.get());
    }
  }

  @Test
  void membersThatAreNearForOneEdgeOnly_areSharedByTraffic() {
    arrive(second);
    addNearMember();

    assertEquals(table(s1), table(s2));
    assertEquals(0.5, nearPart(), 0.06);
  }

  @Test
  void memberThatIsDown_leavesBothEdgesAtOnce() {
    arrive(second);
    addNearMember();

    fixture.setMember("m3", "admin_state", "down");
    pass(1);

    assertEquals(Set.of(1, 2), fixture.byMember(s1).keySet());
    assertEquals(table(s1), table(s2));
  }

  @Test
  void memberThatIsDrained_leavesBothEdgesInTime() {
    arrive(second);
    addNearMember();
    Map<Integer, Host> members = openAll(fixture.behind(first, 1));

    fixture.setMember("m3", "weight", "0");
    pass(2);
    assertTrue(fixture.moving(s1) >= 28);
    assertEquals(table(s1), table(s2));
    assertGoOn(members, fixture.behind(second, 1));
    pass(MOVE_SECONDS + 1);

    assertEquals(Set.of(1, 2), fixture.byMember(s1).keySet());
    assertEquals(table(s1), table(s2));
    assertGoOn(members, fixture.behind(second, 1));
  }

  /** Their buckets lead to another member by now. */
  @Test
  void connectionsWithRulesOfTheirOwn_goOnAtTheOtherEdge() {
    arrive(second);
    Map<Integer, Host> members = drainUnder(first);

    assertGoOn(members, fixture.behind(second, 1));
    fixture.withoutController();
    assertGoOn(members, fixture.behind(second, 1));
  }

  /** Longer than rules last, and back. */
  @Test
  void connectionsWithRulesOfTheirOwn_goOnAtBothEdges_whenRulesHaveExpired() {
    arrive(second);
    Map<Integer, Host> members = drainUnder(first);
    for (int minute = 0; minute < 12; minute++) {
      pass(60);
      assertGoOn(members, fixture.behind(first, 1));
    }

    assertGoOn(members, fixture.behind(second, 1));
    for (int minute = 0; minute < 12; minute++) {
      pass(60);
      assertGoOn(members, fixture.behind(second, 1));
    }
    assertGoOn(members, fixture.behind(first, 1));
  }

  @Test
  void connectionsWithRulesOfTheirOwn_goOnAtAnEdgeThatGetsItsBucketsLater() {
    Map<Integer, Host> members = drainUnder(first);

    arrive(second);

    assertGoOn(members, fixture.behind(second, 1));
  }

  /** Opens connections, of which those of one member get rules of their own as it is drained. */
  private Map<Integer, Host> drainUnder(Host router) {
    Map<Integer, Host> members = openAll(fixture.behind(router, 1));
    pass(2);
    fixture.setMember("m1", "weight", "0");
    pass(2);
    assertGoOn(members, fixture.behind(router, 1));
    pass(MOVE_SECONDS + 1);
    assertEquals(Set.of(2), fixture.byMember(s1).keySet());
    return members;
  }

  /** The switch with the smallest number is away while the buckets of the other move to and fro. */
  @Test
  void edgeThatWasAway_followsTheOther() {
    arrive(second);
    List<String> before = table(s1);
    net.disconnect(s1);
    setWeights(1, 7);
    settleShares();
    setWeights(3, 1);
    settleShares();
    List<String> meanwhile = table(s2);
    assertEquals(before, table(s1));
    assertTrue(differences(before, meanwhile) > 10);

    net.reconnect(s1);
    net.explore(s1);
    for (int second = 0; second < 6 * MOVE_SECONDS; second++) {
      pass(1);
      assertTrue(differences(meanwhile, table(s2)) < 3);
    }

    assertEquals(table(s1), table(s2));
  }

  @Test
  void edgesAfterARestart_haveTheSameBuckets() {
    arrive(second);
    addNearMember();
    assertEquals(table(s1), table(s2));

    net = net.restarted(ROUTERS);
    fixture = new ProactiveFixture(net);
    fixture.set(Catalog.POOLS, "p", "lb_method", "PREQUAL");
    fixture.addMember("m3", near);
    List.of(first, second, near).forEach(net::learn);
    for (int second = 0; second < 4 * MOVE_SECONDS; second++) {
      pass(1);
      assertEquals(table(s1), table(s2));
    }
  }

  /** An active-backup bond with legs at both switches; it is no router. */
  @Test
  void edgesAtWhichAHostWasSeen_haveTheSameBuckets_fromThenOn() {
    Host leg = Host.of(s1, 6, "10.0.0.8");
    Host other = new Host(s2, 7, leg.mac(), leg.address());
    arrive(Host.of(s2, 5, "10.0.0.7"));
    addNearMember();
    arrive(leg);
    assertNotEquals(table(s1), table(s2));
    arrive(other);
    settleShares();
    assertEquals(table(s1), table(s2));
    Map<Integer, Host> members = openAll(other);

    arrive(leg);

    assertGoOn(members, leg);
  }
}
