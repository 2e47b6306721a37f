package io.malob.balancer.health;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import io.malob.balancer.connection.Connection;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.RuleCounts;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;

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
  private static final long TELLING_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final IOFSwitchService switches;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Ejections ejections;
  private final Verdict silent;
  private final Queue<Suspicion> suspicions = new ArrayBlockingQueue<>(MAX_PENDING);
  private final Queue<Connection> answered = new ArrayBlockingQueue<>(MAX_PENDING);
  private final Queue<Suspicion> pending = new ArrayDeque<>();

  /** Members that other controllers were told to suspect, and until when answers are told. */
  private final Map<Integer, Long> toldUntil = new ConcurrentHashMap<>();

  private volatile @Nullable PeerHealth others;

  /** Receives the members that left a client without an answer. */
  interface Verdict {
    void isSilent(int memberNumber);
  }

  /**
   * A connection without an answer.
   *
   * @param isTold whether another controller has told of it, because the member is not behind its
   *     switches
   */
  private record Suspicion(Connection connection, long nanos, boolean isTold) {}

  public UnansweredSynDetector(
      IOFSwitchService switches,
      Executor serialExecutor,
      LongSupplier nanoTime,
      Ejections ejections,
      Verdict silent) {
    this.switches = switches;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.ejections = ejections;
    this.silent = silent;
  }

  /** A client has retransmitted the SYN of a connection whose rules are installed. */
  public void synRetransmitted(Connection connection, long nowNanos) {
    if (connection.isProgrammedBefore(nowNanos - MIN_AGE_NANOS) && !connection.isOver()) {
      boolean unusedIfFull = suspicions.offer(new Suspicion(connection, nowNanos, false));
    }
  }

  /** Lets other controllers poll their switches from now on. */
  void tell(PeerHealth newOthers) {
    others = newOthers;
  }

  /** A connection of another controller has got no answer. Called by peers' threads. */
  void told(Connection connection) {
    boolean unusedIfFull =
        suspicions.offer(
            new Suspicion(connection, nanoTime.getAsLong() - COUNTER_DELAY_NANOS, true));
  }

  /** A client has ended a connection, which proves that the member answered. */
  public void ended(Connection connection) {
    int member = connection.server().number();
    if (ejections.isSuspected(member) || toldUntil.containsKey(member)) {
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
    toldUntil.values().removeIf(until -> until - now < 0);
    Map<Integer, Connection> answeredElsewhere = new HashMap<>();
    for (@Nullable Connection good = answered.poll(); good != null; good = answered.poll()) {
      answered(good);
      if (toldUntil.containsKey(good.server().number())) {
        answeredElsewhere.put(good.server().number(), good);
      }
    }
    @Nullable PeerHealth peers = others;
    if (peers != null) {
      answeredElsewhere.values().forEach(good -> peers.tellAnswered(good, good.ageNanos(now)));
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
      @Nullable PeerHealth peers = others;
      if (peers != null && !suspicion.isTold && peers.tellSuspicion(connection)) {
        toldUntil.put(connection.server().number(), nowNanos + TELLING_NANOS);
      }
      return;
    }
    Futures.addCallback(
        sw.writeStatsRequest(
            ConnectionRules.requestReply(
                sw.getOFFactory(),
                connection.reply(),
                connection.vipNumber(),
                connection.server().number(),
                connection.generation())),
        new FutureCallback<List<OFFlowStatsReply>>() {
          @Override
          public void onSuccess(@Nullable List<OFFlowStatsReply> answer) {
            if (answer != null) {
              answer.forEach(part -> part.getEntries().forEach(rule -> judge(connection, rule)));
            }
          }

          @Override
          public void onFailure(Throwable cause) {
            // without an answer of the switch, nothing is known about the member
          }
        },
        serialExecutor);
  }

  private void judge(Connection connection, OFFlowStatsEntry rule) {
    Optional<RuleCounts> counts = RuleCounts.of(rule);
    if (counts.isEmpty() || !Cookie.is(rule.getCookie(), Cookie.Kind.REPLY)) {
      return;
    }
    if (counts.get().bytes() > 0) {
      answered(connection);
    } else {
      silent.isSilent(connection.server().number());
    }
  }
}
