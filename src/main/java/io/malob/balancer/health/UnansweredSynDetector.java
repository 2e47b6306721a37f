package io.malob.balancer.health;

import io.malob.balancer.connection.Connection;
import io.malob.openflow.Answers;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RuleCounts;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;

/**
 * Detects connections that their member does not answer. A client without an answer retransmits its
 * SYN, and the switch sends that to the controller. A moment later the detector polls the counters
 * of the rule for replies at the member's switch. Only such connections cost anything. Their number
 * is bounded; further ones are ignored.
 *
 * <p>If another controller is master of the member's switch, it polls that switch, and is told of
 * connections that end well for a while.
 *
 * <p>{@link #synRetransmitted} and {@link #ended} may be called by the threads that read from
 * switches. The rest runs on one serial executor.
 */
public final class UnansweredSynDetector {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 100;

  /**
   * Clients retransmit a SYN after a second. A switch may send the same packet twice, but at once.
   */
  private static final long MIN_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /**
   * The member's answer takes a moment, and Open vSwitch updates its counters half a second later.
   */
  private static final long COUNTER_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);

  private static final int MAX_PENDING = 1_024;
  private static final int MAX_POLLS_PER_TICK = 32;

  /** How long answers are told after a suspicion: longer than failures in a row may take. */
  private static final long PUBLISHING_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final IOFSwitchService switches;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Ejections ejections;
  private final IntConsumer silent;
  private final Queue<Suspicion> suspicions = new ArrayBlockingQueue<>(MAX_PENDING);
  private final Queue<Connection> answered = new ArrayBlockingQueue<>(MAX_PENDING);
  private final Queue<Suspicion> pending = new ArrayDeque<>();

  /** Members that other controllers were told to suspect, and until when answers are told. */
  private final Map<Integer, Long> askedUntil = new ConcurrentHashMap<>();

  private final Supplier<@Nullable PeerHealth> others;

  /**
   * A connection without an answer.
   *
   * @param isOfPeer whether another controller has told of it, because the member is not behind its
   *     switches
   */
  private record Suspicion(Connection connection, long nanos, boolean isOfPeer) {}

  /**
   * Starts without suspicions.
   *
   * @param silent receives the number of a member that has not answered
   * @param others the other controllers; null without a cluster
   */
  UnansweredSynDetector(
      IOFSwitchService switches,
      Executor serialExecutor,
      LongSupplier nanoTime,
      Ejections ejections,
      IntConsumer silent,
      Supplier<@Nullable PeerHealth> others) {
    this.switches = switches;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.ejections = ejections;
    this.silent = silent;
    this.others = others;
  }

  /** A client has retransmitted the SYN of a connection whose rules are installed. */
  public void synRetransmitted(Connection connection, long nowNanos) {
    if (connection.isProgrammedBefore(nowNanos - MIN_AGE_NANOS) && !connection.isEnded()) {
      boolean unusedIfFull = suspicions.offer(new Suspicion(connection, nowNanos, false));
    }
  }

  /** A connection of another controller has got no answer. Called by peers' threads. */
  void suspect(Connection connection) {
    boolean unusedIfFull =
        suspicions.offer(
            new Suspicion(connection, nanoTime.getAsLong() - COUNTER_DELAY_NANOS, true));
  }

  /** A client has ended a connection, which proves that the member answered. */
  public void ended(Connection connection) {
    int member = connection.server().number();
    if (ejections.isSuspected(member) || askedUntil.containsKey(member)) {
      boolean unusedIfFull = answered.offer(connection);
    }
  }

  /** To be called every {@link #TICK_MILLIS}. */
  public void tick() {
    if (!suspicions.isEmpty() || !answered.isEmpty() || !pending.isEmpty()) {
      serialExecutor.execute(this::pollDue);
    }
  }

  private void pollDue() {
    long now = nanoTime.getAsLong();
    askedUntil.values().removeIf(until -> until - now < 0);
    Map<Integer, Connection> answeredElsewhere = new HashMap<>();
    for (@Nullable Connection good = answered.poll(); good != null; good = answered.poll()) {
      answered(good);
      if (askedUntil.containsKey(good.server().number())) {
        answeredElsewhere.put(good.server().number(), good);
      }
    }
    @Nullable PeerHealth peers = others.get();
    if (peers != null) {
      answeredElsewhere.values().forEach(good -> peers.publishAnswer(good, good.ageNanos(now)));
    }
    for (@Nullable Suspicion next = suspicions.poll(); next != null; next = suspicions.poll()) {
      if (pending.size() < MAX_PENDING) {
        pending.add(next);
      }
    }
    for (int i = 0; i < MAX_POLLS_PER_TICK; i++) {
      @Nullable Suspicion first = pending.peek();
      if (first == null || now - first.nanos < COUNTER_DELAY_NANOS) {
        return;
      }
      pending.remove();
      poll(first, now);
    }
  }

  private void answered(Connection connection) {
    long now = nanoTime.getAsLong();
    ejections.answered(connection.server().number(), now - connection.ageNanos(now));
  }

  private void poll(Suspicion suspicion, long nowNanos) {
    Connection connection = suspicion.connection;
    @Nullable IOFSwitch sw = switches.getActiveSwitch(connection.server().at().switchId());
    if (!connection.state().hasRules()) {
      return;
    }
    if (sw == null) {
      @Nullable PeerHealth peers = others.get();
      if (peers != null && !suspicion.isOfPeer && peers.askMaster(connection)) {
        askedUntil.put(connection.server().number(), nowNanos + PUBLISHING_NANOS);
      }
      return;
    }
    Answers.take(
        sw.writeStatsRequest(
            ConnectionRules.requestReply(
                sw.getOFFactory(), connection.reply(), connection.cookie(CookieKind.REPLY))),
        serialExecutor,
        answer ->
            answer.forEach(part -> part.getEntries().forEach(rule -> judge(connection, rule))),
        cause -> {}); // without an answer of the switch, nothing is known about the member
  }

  private void judge(Connection connection, OFFlowStatsEntry rule) {
    Optional<RuleCounts> counts = RuleCounts.of(rule);
    if (counts.isEmpty() || !Cookie.is(rule.getCookie(), CookieKind.REPLY)) {
      return;
    }
    if (counts.get().bytes() > 0) {
      answered(connection);
    } else {
      silent.accept(connection.server().number());
    }
  }
}
