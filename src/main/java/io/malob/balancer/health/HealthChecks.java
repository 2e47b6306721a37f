package io.malob.balancer.health;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Server;
import io.malob.algorithm.health.Health;
import io.malob.algorithm.health.RiseAndFall;
import io.malob.balancer.health.HealthCheck.Judge;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Checks the members of pools with a monitor that is up, each on its own schedule. To be called by
 * one thread at a time, except for {@link #health}. A check costs O(log members).
 */
public final class HealthChecks {
  /** How often {@link #tick} is to be called while any member is checked. */
  public static final long TICK_MILLIS = 10;

  /** Each new check sends its first probe within this time. */
  private static final int MAX_FIRST_DELAY_MILLIS = 1_000;

  /**
   * After a pause of the controller of this length, answers may still be unread, so a missing
   * answer proves nothing.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int JITTER_STEPS = 1_001;

  private final LongSupplier nanoTime;
  private final IntUnaryOperator random;
  private final Probes probes;
  private final Queue<Probe> answers;
  private final IntConsumer accepted;
  private final @Nullable PeerHealth others;
  private final Map<Integer, HealthCheck> checks = new HashMap<>();
  private PriorityQueue<HealthCheck> queue = newQueue();

  /** Replaced as a whole. The timer's thread asks whether it is empty. */
  private volatile ImmutableMap<Integer, Health> health = ImmutableMap.of();

  private boolean hasStarted;
  private long tickedAtNanos;

  /**
   * Starts without checks.
   *
   * @param random returns a number from 0 (inclusive) to its argument (exclusive)
   * @param answers the queue of answered probes
   * @param accepted receives the members that accepted a connection
   * @param others the verdicts of other controllers; null without a cluster
   */
  public HealthChecks(
      LongSupplier nanoTime,
      IntUnaryOperator random,
      Probes probes,
      ConcurrentLinkedQueue<Probe> answers,
      IntConsumer accepted,
      @Nullable PeerHealth others) {
    this.nanoTime = nanoTime;
    this.random = random;
    this.probes = probes;
    this.answers = answers;
    this.accepted = accepted;
    this.others = others;
    this.tickedAtNanos = nanoTime.getAsLong();
  }

  /** A change of a member's health, and the monitor that found it. */
  public record Change(Member member, Monitor monitor, Health now) {}

  private static PriorityQueue<HealthCheck> newQueue() {
    return new PriorityQueue<>(
        Comparator.comparingLong((HealthCheck check) -> check.dueNanos)
            .thenComparing(check -> check.member.number()));
  }

  /** The health of the checked members, by number. Members without a check are missing. */
  public ImmutableMap<Integer, Health> health() {
    return health;
  }

  /**
   * Takes over a new catalog. A member that joins a pool with a monitor must pass a check before it
   * gets connections. A member that got connections before, possibly before the controller's start,
   * keeps getting them.
   *
   * @param servers the located members, by number
   */
  public void follow(CatalogSnapshot before, CatalogSnapshot after, Map<Integer, Server> servers) {
    Map<Integer, HealthCheck> old = new HashMap<>(checks);
    checks.clear();
    queue = newQueue();
    long now = nanoTime.getAsLong();
    if (old.isEmpty()) {
      // nothing was checked, so there were no ticks: the controller did not pause
      tickedAtNanos = now;
    }
    for (Pool pool : after.pools().values()) {
      @Nullable Monitor monitor =
          after
              .monitorOfPool(pool.id())
              .filter(each -> each.adminState() == AdminState.UP)
              .orElse(null);
      @Nullable Vip vip = after.vipOf(pool).orElse(null);
      if (monitor == null) {
        continue;
      }
      ImmutableList<IPAddress<?>> sources =
          vip == null ? ImmutableList.of() : after.checkSources(vip);
      for (Member member : after.membersOfPool(pool.id())) {
        @Nullable HealthCheck check = old.get(member.number());
        if (check != null && check.follow(member, monitor, vip, sources, now)) {
          old.remove(member.number());
        } else {
          check = new HealthCheck(member, monitor, vip, sources, first(before, member), now);
          check.dueNanos =
              now + TimeUnit.MILLISECONDS.toNanos(random.applyAsInt(MAX_FIRST_DELAY_MILLIS));
          check.nextProbeNanos = check.dueNanos;
        }
        followJudge(check, servers);
        checks.put(member.number(), check);
        queue.add(check);
      }
    }
    old.values().forEach(HealthCheck::withdrawProbe);
    hasStarted = true;
    publish();
  }

  private RiseAndFall first(CatalogSnapshot before, Member member) {
    @Nullable Member was = before.members().get(member.id());
    boolean isHere =
        was != null
            && was.address().equals(member.address())
            && was.vlan() == member.vlan()
            && member.poolId() != null
            && member.poolId().equals(was.poolId());
    return isHere || !hasStarted ? RiseAndFall.PRESUMED_UP : RiseAndFall.NEW;
  }

  private void publish() {
    ImmutableMap.Builder<Integer, Health> all = ImmutableMap.builder();
    ImmutableMap.Builder<Integer, Health> own = ImmutableMap.builder();
    checks.forEach(
        (number, check) -> {
          all.put(number, check.health());
          if (check.judge == Judge.THIS && check.canBeProbed()) {
            own.put(number, check.health());
          }
        });
    health = all.build();
    if (others != null) {
      others.publish(own.build());
    }
  }

  /**
   * Finds out who judges a member. If it is another controller, takes over its latest verdict.
   *
   * @return whether another one judges it now than before
   */
  private boolean followJudge(HealthCheck check, Map<Integer, Server> servers) {
    Judge before = check.judge;
    @Nullable Server server = servers.get(check.member.number());
    @Nullable DatapathId at = server == null ? check.switchId : server.at().switchId();
    check.judge = judgeOf(at);
    if (others == null || check.judge != Judge.OTHER) {
      check.isJudged = true;
      return check.judge != before;
    }
    check.switchId = at;
    check.searchSinceNanos = nanoTime.getAsLong();
    check.withdrawProbe();
    @Nullable Health told = others.verdict(at, check.member.number());
    if (told != null) {
      check.verdict = new RiseAndFall(told, 0);
      check.isJudged = true;
    } else if (before != Judge.OTHER && check.isNew) {
      check.isJudged = false;
    }
    return check.judge != before;
  }

  private Judge judgeOf(@Nullable DatapathId switchId) {
    if (switchId == null
        ? !probes.standby().getAsBoolean()
        : probes.isControlled().test(switchId)) {
      return Judge.THIS;
    }
    return others != null && others.mayJudge(switchId) ? Judge.OTHER : Judge.NONE;
  }

  /**
   * Sends the probes that are due and evaluates answers and timeouts.
   *
   * @param servers the located members, by number
   * @return the changes of health
   */
  public List<Change> tick(Map<Integer, Server> servers) {
    long now = nanoTime.getAsLong();
    long sinceLast = now - tickedAtNanos;
    tickedAtNanos = now;
    if (sinceLast > PAUSE_NANOS) {
      postpone(sinceLast);
    }
    List<Change> changes = new ArrayList<>();
    takeAnswers(changes);
    boolean judgesChanged = takeNews(servers, changes);
    for (@Nullable HealthCheck check = queue.peek();
        check != null && check.dueNanos - now <= 0;
        check = queue.peek()) {
      queue.remove();
      judgesChanged |= step(check, servers, now, changes);
      queue.add(check);
    }
    takeAnswers(changes); // some probes have a result at once
    if (!changes.isEmpty() || judgesChanged) {
      publish();
    }
    if (others != null) {
      others.publishToNewPeers();
    }
    return changes;
  }

  /** Follows what other controllers have told. Returns whether any member has another judge. */
  private boolean takeNews(Map<Integer, Server> servers, List<Change> changes) {
    boolean judgesChanged = false;
    for (int number : others == null ? Set.<Integer>of() : others.takeNews()) {
      @Nullable HealthCheck check = checks.get(number);
      if (check != null) {
        judgesChanged |= followJudge(check, servers, changes);
      }
    }
    return judgesChanged;
  }

  private boolean followJudge(
      HealthCheck check, Map<Integer, Server> servers, List<Change> changes) {
    Health before = check.health();
    boolean judgeChanged = followJudge(check, servers);
    noteChange(check, before, changes);
    return judgeChanged;
  }

  private static void noteChange(HealthCheck check, Health before, List<Change> changes) {
    if (check.health() != before) {
      changes.add(new Change(check.member, check.monitor, check.health()));
    }
  }

  private void takeAnswers(List<Change> changes) {
    for (@Nullable Probe probe = answers.poll(); probe != null; probe = answers.poll()) {
      @Nullable HealthCheck check = checks.get(probe.memberNumber());
      if (check != null && probe == check.probe && check.isPending) {
        check.isPending = false;
        judge(check, probe.hasPassed(), changes);
        if (probe.hasPassed()) {
          check.passed();
        }
        if (probe.hasPassed() && check.monitor.type() == Monitor.Type.TCP) {
          accepted.accept(probe.memberNumber());
        }
      }
    }
  }

  private void postpone(long nanos) {
    // all alike, so that their order stays
    for (HealthCheck check : queue) {
      check.dueNanos += nanos;
      check.nextProbeNanos += nanos;
    }
  }

  /**
   * Handles a due check: its probe has timed out, or its next probe is due. Returns whether another
   * controller judges the member now than before.
   */
  private boolean step(
      HealthCheck check, Map<Integer, Server> servers, long now, List<Change> changes) {
    boolean judgeChanged = followJudge(check, servers, changes);
    if (check.isPending) {
      check.isPending = false;
      if (!probes.isOutOfControl(check)) {
        judge(check, false, changes);
        check.timedOut();
      }
    }
    if (check.nextProbeNanos - now > 0) {
      check.dueNanos = check.nextProbeNanos;
      return judgeChanged;
    }
    long delay = TimeUnit.SECONDS.toNanos(check.monitor.delaySeconds());
    long timeout = TimeUnit.SECONDS.toNanos(check.monitor.timeoutSeconds());
    check.nextProbeNanos = now + delayUntilNext(check, delay);
    check.withdrawProbe();
    if (check.judge != Judge.OTHER) {
      check.probe = probes.start(check, servers, now);
      check.isPending = check.probe != null;
    }
    check.dueNanos = check.isPending ? now + timeout : check.nextProbeNanos;
    return judgeChanged;
  }

  /**
   * The time until the next probe. The first time it is a random part of the delay, so that members
   * that were added together are not probed together. Afterwards it is 90 to 110 % of the delay, so
   * that they do not fall into step.
   */
  private long delayUntilNext(HealthCheck check, long delay) {
    long part = delay / JITTER_STEPS * random.applyAsInt(JITTER_STEPS);
    if (check.isNew) {
      check.isNew = false;
      return part;
    }
    return delay / 10 * 9 + part / 5;
  }

  private static void judge(HealthCheck check, boolean passed, List<Change> changes) {
    Health before = check.health();
    check.verdict = check.verdict.after(passed, check.monitor.rise(), check.monitor.fall());
    noteChange(check, before, changes);
  }

  /** Whether at least half of a monitor's members are up. */
  public boolean majorityIsUp(Monitor monitor) {
    List<HealthCheck> all =
        checks.values().stream().filter(check -> check.monitor.id().equals(monitor.id())).toList();
    return 2 * all.stream().filter(check -> check.verdict.health() == Health.UP).count()
        >= all.size();
  }
}
