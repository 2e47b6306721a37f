package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Server;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.proactive.BucketInput.Standing;
import io.malob.balancer.reroute.RulePacer;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.json.RejectedException;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketSource;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.testing.Servers;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;

/** The states of one edge, whose switch has both members. */
class EdgeBucketsTest {
  private static final DatapathId EDGE = DatapathId.of(1);
  private static final int MOVE_SECONDS = 30;
  private static final BucketTraffic WEB =
      new BucketTraffic(7, IPv4Address.of("10.0.0.100"), 0, IpProtocol.TCP, 80);
  private static final ImmutableList<Server> MEMBERS =
      ImmutableList.of(Servers.on(1, 1, 1), Servers.on(2, 1, 1));
  private static final EdgeReadiness ALL = new EdgeReadiness(true, true, Set.of());

  private final FakeSwitches switches = new FakeSwitches(1);
  private final RuleSender ruleSender = new RuleSender(switches);
  private final ProgrammedSwitch sw =
      new ProgrammedSwitch(EDGE, new RulePacer(ruleSender, Runnable::run, () -> 0));
  private final Wire wire =
      new Wire(sw, new SwitchTables(FakeSwitches.FACTORY, TableLayout.FOUR_TABLES), true);
  private final Map<Integer, Standing> standings =
      new HashMap<>(Map.of(1, Standing.LIVE, 2, Standing.LIVE));
  private final Moves moves = new Moves();
  private BalancerView view = BalancerView.EMPTY;
  private ServicePlan plan;
  private EdgeBuckets edge;
  private Buckets buckets;
  private long nowNanos;
  private int pinned;

  @BeforeEach
  void aVip() throws IOException, RejectedException {
    WebPlan web = WebPlan.of(EDGE, MEMBERS);
    view = viewOf(web.catalog());
    plan = web.plan();
    buckets =
        new Buckets(new Buckets.Timeouts(MOVE_SECONDS, 10, 600, 10), any -> true, () -> nowNanos);
    edge =
        new EdgeBuckets(
            EDGE,
            buckets,
            new LabelTable(ruleSender, () -> nowNanos),
            moves,
            /* isTracked= */ false,
            () -> pinned++,
            nowNanos);
  }

  private static BalancerView viewOf(CatalogSnapshot catalog) {
    return new BalancerView(
        catalog,
        BalancerView.EMPTY.network(),
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableMap.of(1, MEMBERS.get(0), 2, MEMBERS.get(1)),
        ImmutableMap.of(),
        BalancerView.EMPTY.serverLocations(),
        BalancerView.EMPTY.plans());
  }

  /** Changes what a member takes, in another view. */
  private void set(int memberNumber, Standing standing) {
    standings.put(memberNumber, standing);
    view = viewOf(view.catalog());
  }

  private BucketInput now() {
    ImmutableList<Server> candidates =
        MEMBERS.stream()
            .filter(each -> standings.get(each.number()) == Standing.LIVE)
            .collect(ImmutableList.toImmutableList());
    return new BucketInput(
        view, view.network(), plan, WEB, candidates, MEMBERS, Map.copyOf(standings), nowNanos);
  }

  private void advance(double @Nullable [] proposed, EdgeReadiness readiness) {
    edge.advance(now(), wire, BucketSource.PORT, proposed, readiness);
    sw.flush(ruleSender, Runnable::run);
  }

  private void leave() {
    edge.leave(now(), wire, true);
    sw.flush(ruleSender, Runnable::run);
  }

  private void pass(int seconds) {
    nowNanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  private void becomeProactive() {
    advance(new double[] {0.5, 0.5}, ALL);
    assertEquals(EdgeState.PROACTIVE, edge.state());
  }

  /** The buckets on the switch. */
  private List<BucketCookie> onSwitch() {
    return switches.get(1).table().rules().stream()
        .map(rule -> BucketCookie.of(rule.cookie()))
        .flatMap(Optional::stream)
        .toList();
  }

  @Test
  void edge_isProactive_whenMembersSidesAreReady_andThereIsRoom() {
    assertEquals(EdgeState.REACTIVE, edge.state());
    advance(new double[] {0.5, 0.5}, new EdgeReadiness(true, false, Set.of()));
    assertEquals(EdgeState.PREPARING, edge.state());
    advance(null, new EdgeReadiness(false, true, Set.of()));
    assertEquals(EdgeState.PREPARING, edge.state());
    assertEquals(List.of(), onSwitch());

    advance(null, ALL);

    assertEquals(EdgeState.PROACTIVE, edge.state());
    assertEquals(Map.of(1, 32, 2, 32), edge.members().byMember());
    assertEquals(64, onSwitch().size());
    assertTrue(edge.isPublished());
    assertEquals(1, pinned);
  }

  @Test
  void edgeWithoutShares_staysAsItIs() {
    advance(new double[] {0, 0}, ALL);
    pass(10);
    advance(new double[] {0, 0}, ALL);

    assertEquals(EdgeState.PREPARING, edge.state());
  }

  @Test
  void edgeThatPrepares_isReactiveAtOnce() {
    advance(null, new EdgeReadiness(true, false, Set.of()));

    leave();

    assertEquals(EdgeState.REACTIVE, edge.state());
  }

  @Test
  void edgeThatLeaves_sendsAllToTheController_andThenHasNoRules() {
    becomeProactive();
    pass(1);

    leave();
    assertEquals(EdgeState.LEAVING, edge.state());
    assertEquals(64, edge.members().moving());
    assertTrue(onSwitch().stream().allMatch(BucketCookie::isMoving));
    pass(MOVE_SECONDS - 1);
    leave();
    assertEquals(EdgeState.LEAVING, edge.state());
    pass(1);
    leave();

    assertEquals(EdgeState.REACTIVE, edge.state());
    assertEquals(List.of(), onSwitch());
  }

  @Test
  void reactiveEdge_isForgottenAfterAnHour() {
    becomeProactive();
    leave();
    pass(MOVE_SECONDS);
    leave();
    pass(3_599);
    leave();
    assertTrue(edge.isPublished());

    pass(1);
    leave();

    assertFalse(edge.isPublished());
    assertTrue(buckets.isEmpty());
  }

  @Test
  void edgeThatIsToStay_hasItsBucketsAsBefore() {
    becomeProactive();
    Set<BucketCookie> before = Set.copyOf(onSwitch());
    leave();

    advance(null, ALL);

    assertEquals(EdgeState.PROACTIVE, edge.state());
    assertEquals(Map.of(1, 32, 2, 32), edge.members().byMember());
    assertEquals(0, edge.members().moving());
    assertEquals(before, Set.copyOf(onSwitch()));
    assertEquals(0, moves.total());
  }

  @Test
  void bucketsOfADeadMember_moveAtOnce() {
    becomeProactive();
    pass(1);
    set(1, Standing.DEAD);

    advance(new double[] {1}, ALL);

    assertEquals(Map.of(2, 64), edge.members().byMember());
    assertEquals(0, edge.members().moving());
    assertEquals(32, moves.total());
  }

  @Test
  void bucketsOfADrainedMember_moveInTime() {
    becomeProactive();
    pass(1);
    set(1, Standing.DRAINING);

    advance(new double[] {1}, ALL);
    assertEquals(32, edge.members().moving());
    assertEquals(32, onSwitch().stream().filter(BucketCookie::isMoving).count());
    pass(MOVE_SECONDS);
    advance(null, ALL);

    assertEquals(0, edge.members().moving());
    assertTrue(onSwitch().stream().allMatch(each -> each.memberNumber() == 2));
  }

  /** As a member without a path, while links are being discovered after a restart. */
  @Test
  void memberThatIsNotThereYet_keepsItsShare() {
    becomeProactive();
    pass(1);
    standings.put(2, Standing.ABSENT);
    BucketInput discovering =
        new BucketInput(
            view, view.network(), plan, WEB, MEMBERS, MEMBERS, Map.copyOf(standings), nowNanos);

    edge.advance(discovering, wire, BucketSource.PORT, new double[] {1, 0}, ALL);
    pass(1);
    set(2, Standing.LIVE);
    advance(new double[] {0.5, 0.5}, ALL);

    assertEquals(Map.of(1, 32, 2, 32), edge.members().byMember());
    assertEquals(0, moves.total());
  }
}
