package io.malob.balancer.connection;

import io.malob.algorithm.Placement;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.LinkValues;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.Cookie;
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
 * The connections that are learnt from, until both of their rules have ended; found by the
 * generation in the cookies of these. Bounded: while there are too many, no more are begun.
 * Thread-safe; never blocks. Not a Guava cache, whose lock all placements would share.
 */
public final class FlowSamples {
  /** How many are waited for at a time. */
  static final int MOST = 65_536;

  /** Five minutes, of five seconds each: a switch that has said nothing by then says nothing. */
  private static final int MAX_ROUNDS = 60;

  private final Map<Integer, FlowSample> byGeneration = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;

  public FlowSamples(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A connection has been placed, and is not yet counted on its member, nor are its rules sent. If
   * its service wants to learn from it, the end of its reply rule will be asked for.
   */
  public void placed(
      Connection connection, ServiceProfile profile, Placement placement, BalancerView view) {
    if (!profile.wantsNext() || byGeneration.size() >= MOST) {
      return;
    }
    LinkValues values = view.network().values();
    FlowSample sample =
        new FlowSample(
            connection,
            profile,
            new FlowSample.Start(
                nanoTime.getAsLong(),
                placement.server().load().present() - 1, // it is counted already
                (double)
                    (values.latencyNanos(placement.requestPath())
                        + values.latencyNanos(placement.replyPath())),
                values.shareBps(placement.replyPath())));
    if (byGeneration.putIfAbsent(connection.generation(), sample) == null) {
      connection.observe(sample);
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
    if (Cookie.is(message.getCookie(), Cookie.Kind.REPLY)) {
      return sample.replyRuleEnded(counts.bytes());
    }
    long idleNanos = TimeUnit.SECONDS.toNanos(message.getIdleTimeout());
    return sample.requestRuleEnded(counts.bytes(), counts.nanos() - idleNanos);
  }

  /** Forgets what will not be told any more. To be called every five seconds, by one thread. */
  public void sweep() {
    byGeneration.values().removeIf(sample -> sample.isStale(MAX_ROUNDS));
  }

  /** How many are waited for. */
  public int waiting() {
    return byGeneration.size();
  }
}
