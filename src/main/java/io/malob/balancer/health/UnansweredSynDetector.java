package io.malob.balancer.health;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import io.malob.balancer.connection.Connection;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.RuleCounts;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;

/**
 * Finds connections that their member does not answer. A client that gets no answer sends its SYN
 * again, which comes to the controller; a moment later the switch at the member is asked whether
 * the rule for replies has counted anything. Only such connections cost anything, and a bounded
 * number of them: more are not looked at.
 *
 * <p>{@link #synCameAgain} and {@link #ended} are for the threads that read from switches; the rest
 * is done on one executor, in order.
 */
public final class UnansweredSynDetector {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 100;

  /** Clients repeat their SYN after a second; a switch may show one packet twice, but at once. */
  private static final long LEAST_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /** The member's answer takes a moment, and Open vSwitch counts half a second later. */
  private static final long COUNTED_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);

  private static final int MAX_WAITING = 1_024;
  private static final int MAX_ASKED_AT_A_TIME = 32;

  private final IOFSwitchService switches;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Ejections ejections;
  private final Verdict silent;
  private final Queue<Suspicion> suspicions = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Queue<Connection> answered = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Queue<Suspicion> waiting = new ArrayDeque<>();

  /** Takes members that have left a client without an answer. */
  interface Verdict {
    void isSilent(int memberNumber);
  }

  private record Suspicion(Connection connection, long nanos) {}

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

  /** A client has sent the SYN of a connection again that has its rules. */
  public void synCameAgain(Connection connection, long nowNanos) {
    if (connection.isProgrammedBefore(nowNanos - LEAST_AGE_NANOS) && !connection.isOver()) {
      boolean unusedIfFull = suspicions.offer(new Suspicion(connection, nowNanos));
    }
  }

  /** A client has ended a connection, so that it had an answer. */
  public void ended(Connection connection) {
    if (ejections.isSuspected(connection.server().number())) {
      boolean unusedIfFull = answered.offer(connection);
    }
  }

  /** To be called every {@link #TICK_MILLIS}. */
  public void tick() {
    if (!suspicions.isEmpty() || !answered.isEmpty() || !waiting.isEmpty()) {
      serialExecutor.execute(this::goOn);
    }
  }

  private void goOn() {
    long now = nanoTime.getAsLong();
    for (@Nullable Connection good = answered.poll(); good != null; good = answered.poll()) {
      answered(good);
    }
    for (@Nullable Suspicion next = suspicions.poll(); next != null; next = suspicions.poll()) {
      if (waiting.size() < MAX_WAITING) {
        waiting.add(next);
      }
    }
    for (int i = 0; i < MAX_ASKED_AT_A_TIME; i++) {
      @Nullable Suspicion first = waiting.peek();
      if (first == null || now - first.nanos < COUNTED_NANOS) {
        return;
      }
      waiting.remove();
      ask(first.connection);
    }
  }

  private void answered(Connection connection) {
    long now = nanoTime.getAsLong();
    ejections.answered(connection.server().number(), now - connection.ageNanos(now));
  }

  private void ask(Connection connection) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(connection.server().at().switchId());
    if (sw == null || !connection.state().hasRules()) {
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
            // the switch says nothing, and so nothing is known of the member
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
