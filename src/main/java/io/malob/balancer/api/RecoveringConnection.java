package io.malob.balancer.api;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.FoundRule;
import org.projectfloodlight.openflow.types.DatapathId;

/** A connection of which the rule at its client's edge was found. Thread-safe. */
public final class RecoveringConnection {
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
  public RecoveringConnection(FoundRule.Direction rule, DatapathId at, long sinceNanos) {
    this.rule = rule;
    this.at = at;
    this.sinceNanos = sinceNanos;
  }

  public FoundRule.Direction rule() {
    return rule;
  }

  /** The packets from client to VIP. */
  public FiveTuple request() {
    return rule.incoming();
  }

  /** The packets from the member, as the member makes them. */
  public FiveTuple reply() {
    return rule.outgoing().reversed();
  }

  public DatapathId at() {
    return at;
  }

  public long sinceNanos() {
    return sinceNanos;
  }

  /** Its client has sent FIN or RST. */
  public void end() {
    ended = true;
  }

  public boolean hasEnded() {
    return ended;
  }

  /**
   * Its rule has timed out: once it is adopted, it is dormant.
   *
   * @param nowNanos on the controller's monotonic clock
   */
  public void expire(long nowNanos) {
    if (!isExpired()) {
      expiredAtNanos = nowNanos;
    }
  }

  public boolean isExpired() {
    return expiredAtNanos != NEVER;
  }

  /** Whether its rule timed out so long ago. */
  public boolean isExpiredFor(long nanos, long nowNanos) {
    return isExpired() && nowNanos - expiredAtNanos >= nanos;
  }
}
