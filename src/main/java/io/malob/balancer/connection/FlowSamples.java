package io.malob.balancer.connection;

import io.malob.algorithm.Placement;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.LinkValues;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RuleCounts;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.types.U64;

/**
 * The connections that profiles learn from, until both rules of each have ended, by the generation
 * in the rules' cookies. Bounded: while it is full, new connections are not sampled. Thread-safe;
 * never blocks. Not a Guava cache, whose lock all placements would share.
 */
public final class FlowSamples {
  /** How many samples may be pending. */
  static final int MAX_PENDING = 65_536;

  /**
   * Five minutes: sweeps are five seconds apart. By then every switch has reported the end of its
   * rules, or will not report it at all.
   */
  private static final int MAX_ROUNDS = 60;

  private final Map<Integer, FlowSample> byGeneration = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;

  public FlowSamples(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A connection has been placed; its rules are not sent yet. If its service's profile needs a
   * sample, the reply rule will be installed with a flow-removed notification.
   */
  public void placed(
      Connection connection, ServiceProfile profile, Placement placement, BalancerView view) {
    if (!profile.wantsNext() || byGeneration.size() >= MAX_PENDING) {
      return;
    }
    LinkValues values = view.network().values();
    FlowSample sample =
        new FlowSample(
            connection,
            profile,
            new FlowSample.Start(
                nanoTime.getAsLong(),
                placement.server().load().present() - 1, // the new connection is counted already
                (double)
                    (values.latencyNanos(placement.requestPath())
                        + values.latencyNanos(placement.replyPath())),
                values.shareBps(placement.replyPath())));
    if (byGeneration.putIfAbsent(connection.generation(), sample) == null) {
      connection.observe(sample);
    }
  }

  /**
   * The request rule of a connection has timed out. Most connections are not sampled, and say so
   * themselves: no look-up among the samples is needed.
   *
   * @param connection null if it is not in memory any more
   */
  public void requestRuleEnded(OFFlowRemoved message, @Nullable Connection connection) {
    if (connection == null || connection.isSampled()) {
      ruleEnded(message);
    }
  }

  /** A rule of some connection has ended. */
  public void ruleEnded(OFFlowRemoved message) {
    U64 cookie = message.getCookie();
    @Nullable FlowSample sample = byGeneration.get(Cookie.generation(cookie));
    if (sample == null || !sample.isOf(Cookie.vipNumber(cookie), Cookie.memberNumber(cookie))) {
      return;
    }
    @Nullable RuleCounts counts =
        message.getReason() == OFFlowRemovedReason.IDLE_TIMEOUT
            ? RuleCounts.of(message).orElse(null)
            : null;
    if (counts == null) {
      sample.spoil();
    }
    if (counts == null || take(sample, message, counts)) {
      byGeneration.remove(Cookie.generation(cookie), sample);
      sample.learn();
    }
  }

  private static boolean take(FlowSample sample, OFFlowRemoved message, RuleCounts counts) {
    boolean isReply = Cookie.is(message.getCookie(), CookieKind.REPLY);
    long idleNanos = TimeUnit.SECONDS.toNanos(message.getIdleTimeout());
    return sample.ruleEnded(isReply, counts.bytes(), counts.nanos() - idleNanos);
  }

  /** Removes stale samples. Call it every five seconds, from one thread. */
  public void sweep() {
    byGeneration.values().removeIf(sample -> sample.isStale(MAX_ROUNDS));
  }

  /** How many samples are pending. */
  public int pending() {
    return byGeneration.size();
  }
}
