package io.malob.balancer.health;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Server;
import io.malob.algorithm.health.Health;
import io.malob.algorithm.health.RiseAndFall;
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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the members of pools that have a monitor, each at times of its own. To be called by one
 * thread at a time; a check costs O(log members).
 */
public final class HealthChecks {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 10;

  /** Those that are to be checked are asked for the first time within that. */
  private static final int FIRST_MILLIS = 1_000;

  /**
   * When the controller itself has been away for so long, answers lie about unread, and no answer
   * means nothing.
   */
  private static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int JITTER_STEPS = 1_001;

  private final LongSupplier nanoTime;
  private final IntUnaryOperator random;
  private final Probes probes;
  private final Queue<Probe> answers;
  private final IntConsumer accepted;
  private final Map<Integer, HealthCheck> checks = new HashMap<>();
  private PriorityQueue<HealthCheck> queue = newQueue();
  private ImmutableMap<Integer, Health> health = ImmutableMap.of();
  private boolean hasStarted;
  private long tickedAtNanos;

  /**
   * Nothing to check yet.
   *
   * @param random gives a number from zero to the one given, without that
   * @param answers where the questions that have been answered are put
   * @param accepted takes members that have accepted a connection
   */
  public HealthChecks(
      LongSupplier nanoTime,
      IntUnaryOperator random,
      Probes probes,
      ConcurrentLinkedQueue<Probe> answers,
      IntConsumer accepted) {
    this.nanoTime = nanoTime;
    this.random = random;
    this.probes = probes;
    this.answers = answers;
    this.accepted = accepted;
    this.tickedAtNanos = nanoTime.getAsLong();
  }

  /** A member whose health has changed, and the monitor that has found it. */
  public record Change(Member member, Monitor monitor, Health now) {}

  private static PriorityQueue<HealthCheck> newQueue() {
    return new PriorityQueue<>(
        Comparator.comparingLong((HealthCheck check) -> check.dueNanos)
            .thenComparing(check -> check.member.number()));
  }

  /** What is known of members, by number; those that are not checked are not in it. */
  public ImmutableMap<Integer, Health> health() {
    return health;
  }

  /**
   * Takes over a new catalog. A member that joins a pool with a monitor must pass before it takes
   * connections; what took connections before, be it before the controller's start, goes on.
   */
  public void follow(CatalogSnapshot before, CatalogSnapshot after) {
    Map<Integer, HealthCheck> old = new HashMap<>(checks);
    checks.clear();
    queue = newQueue();
    long now = nanoTime.getAsLong();
    for (Pool pool : after.pools().values()) {
      @Nullable Monitor monitor = after.monitorOfPool(pool.id()).orElse(null);
      @Nullable Vip vip = pool.vipId() == null ? null : after.vips().get(pool.vipId());
      if (monitor == null) {
        continue;
      }
      for (Member member : after.membersOfPool(pool.id())) {
        HealthCheck check = new HealthCheck(member, monitor, vip, first(before, member), now);
        @Nullable HealthCheck was = old.get(member.number());
        if (was != null && was.asksTheSame(check)) {
          check.goOnFrom(was, now);
          old.remove(member.number());
        } else {
          check.dueNanos = now + TimeUnit.MILLISECONDS.toNanos(random.applyAsInt(FIRST_MILLIS));
          check.nextAskNanos = check.dueNanos;
        }
        checks.put(member.number(), check);
        queue.add(check);
      }
    }
    old.values().forEach(HealthCheck::forgetProbe);
    hasStarted = true;
    publish();
  }

  private RiseAndFall first(CatalogSnapshot before, Member member) {
    @Nullable Member was = before.members().get(member.id());
    boolean isHere =
        was != null
            && was.address().equals(member.address())
            && member.poolId() != null
            && member.poolId().equals(was.poolId());
    return isHere || !hasStarted ? RiseAndFall.PRESUMED_UP : RiseAndFall.NEW;
  }

  private void publish() {
    ImmutableMap.Builder<Integer, Health> all = ImmutableMap.builder();
    checks.forEach(
        (number, check) ->
            all.put(number, check.canBeAsked() ? check.verdict.health() : Health.UNCHECKED));
    health = all.build();
  }

  /**
   * Asks whom it is time to ask, and judges what was answered or was not.
   *
   * @param servers where members are
   * @return whose health has changed
   */
  public List<Change> tick(Map<Integer, Server> servers) {
    long now = nanoTime.getAsLong();
    long sinceLast = now - tickedAtNanos;
    tickedAtNanos = now;
    if (sinceLast > AWAY_NANOS) {
      postpone(sinceLast);
    }
    List<Change> changes = new ArrayList<>();
    takeAnswers(changes);
    for (@Nullable HealthCheck check = queue.peek();
        check != null && check.dueNanos - now <= 0;
        check = queue.peek()) {
      queue.remove();
      turn(check, servers, now, changes);
      queue.add(check);
    }
    takeAnswers(changes); // some are known at once
    if (!changes.isEmpty()) {
      publish();
    }
    return changes;
  }

  private void takeAnswers(List<Change> changes) {
    for (@Nullable Probe told = answers.poll(); told != null; told = answers.poll()) {
      @Nullable HealthCheck check = checks.get(told.memberNumber());
      if (check != null && told == check.probe && check.isWaiting) {
        check.isWaiting = false;
        judge(check, told.hasPassed(), changes);
        if (told.hasPassed() && check.monitor.type() == Monitor.Type.TCP) {
          accepted.accept(told.memberNumber());
        }
      }
    }
  }

  private void postpone(long nanos) {
    PriorityQueue<HealthCheck> later = newQueue();
    for (HealthCheck check : queue) {
      check.dueNanos += nanos;
      check.nextAskNanos += nanos;
      later.add(check);
    }
    queue = later;
  }

  /** Either the time for an answer is over, or it is time for the next question. */
  private void turn(
      HealthCheck check, Map<Integer, Server> servers, long now, List<Change> changes) {
    if (check.isWaiting) {
      check.isWaiting = false;
      if (!probes.isOutOfReach(check)) {
        judge(check, false, changes);
      }
    }
    if (check.nextAskNanos - now > 0) {
      check.dueNanos = check.nextAskNanos;
      return;
    }
    long delay = TimeUnit.SECONDS.toNanos(check.monitor.delaySeconds());
    long timeout = TimeUnit.SECONDS.toNanos(check.monitor.timeoutSeconds());
    check.nextAskNanos = now + pause(check, delay);
    check.forgetProbe();
    check.probe = probes.ask(check, servers, now);
    check.isWaiting = check.probe != null;
    check.dueNanos = check.isWaiting ? now + timeout : check.nextAskNanos;
  }

  /**
   * How long until the next question. The first time any part of the delay, so that members that
   * came together are not asked together; then from 90 to 110 %, so that they never are again.
   */
  private long pause(HealthCheck check, long delay) {
    long part = delay / JITTER_STEPS * random.applyAsInt(JITTER_STEPS);
    if (check.isNew) {
      check.isNew = false;
      return part;
    }
    return delay / 10 * 9 + part / 5;
  }

  private static void judge(HealthCheck check, boolean passed, List<Change> changes) {
    Health before = check.verdict.health();
    check.verdict = check.verdict.after(passed, check.monitor.rise(), check.monitor.fall());
    Health now = check.verdict.health();
    if (now != before) {
      changes.add(new Change(check.member, check.monitor, now));
    }
  }

  /** Whether at least half of the members that a monitor checks are up. */
  public boolean majorityIsUp(Monitor monitor) {
    long all = 0;
    long up = 0;
    for (HealthCheck check : checks.values()) {
      if (check.monitor.id().equals(monitor.id())) {
        all++;
        up += check.verdict.health() == Health.UP ? 1 : 0;
      }
    }
    return 2 * up >= all;
  }
}
