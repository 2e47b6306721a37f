package io.malob.balancer;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.FoundRule;
import org.projectfloodlight.openflow.types.DatapathId;

/** A connection of which the rule at its client's edge was found. Thread-safe. */
final class PendingConnection {
  private static final long NEVER = Long.MIN_VALUE;

  private final FoundRule.Direction rule;
  private final DatapathId at;
  private final long sinceNanos;
  private volatile boolean ended;

  /** When its rule timed out; {@link #NEVER} while the rule is there. */
  private volatile long expiredAtNanos = NEVER;

  /**
   * A connection that nothing else is known of.
   *
   * @param at the client's edge switch
   * @param sinceNanos when it was found, on the controller's monotonic clock
   */
  PendingConnection(FoundRule.Direction rule, DatapathId at, long sinceNanos) {
    this.rule = rule;
    this.at = at;
    this.sinceNanos = sinceNanos;
  }

  FoundRule.Direction rule() {
    return rule;
  }

  /** The packets from client to VIP. */
  FiveTuple request() {
    return rule.incoming();
  }

  /** The packets from the member, as the member makes them. */
  FiveTuple reply() {
    return rule.outgoing().reversed();
  }

  DatapathId at() {
    return at;
  }

  long sinceNanos() {
    return sinceNanos;
  }

  /** Its client has sent FIN or RST. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  /**
   * Its rule has timed out: once it is adopted, it is dormant.
   *
   * @param nowNanos on the controller's monotonic clock
   */
  void expire(long nowNanos) {
    if (!isExpired()) {
      expiredAtNanos = nowNanos;
    }
  }

  boolean isExpired() {
    return expiredAtNanos != NEVER;
  }

  /** Whether its rule timed out so long ago. */
  boolean isExpiredFor(long nanos, long nowNanos) {
    return isExpired() && nowNanos - expiredAtNanos >= nanos;
  }
}
