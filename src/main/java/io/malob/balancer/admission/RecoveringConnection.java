package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.FoundRule;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

/** A connection in recovery: the rule at its client's edge switch was found. Thread-safe. */
public final class RecoveringConnection {
  private static final long NEVER = Long.MIN_VALUE;

  private final FoundRule.Direction rule;
  private final DatapathId at;
  private final long sinceNanos;
  private volatile boolean isEnded;

  /** The time when its rule expired; {@link #NEVER} while the rule exists. */
  private volatile long expiredAtNanos = NEVER;

  /** The MAC address that its member sends to; {@link MacAddress#NONE} while not known. */
  private volatile MacAddress nextHop = MacAddress.NONE;

  /**
   * Creates a connection with nothing but its rule.
   *
   * @param at the client's edge switch
   * @param sinceNanos the time when it was found, on the controller's monotonic clock
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

  /** The packets from the member, as the member sends them. */
  public FiveTuple reply() {
    return rule.outgoing().reversed();
  }

  public DatapathId at() {
    return at;
  }

  public long sinceNanos() {
    return sinceNanos;
  }

  /** Records which MAC address its member sends replies to. */
  void setNextHop(MacAddress mac) {
    nextHop = mac;
  }

  /** The MAC address that its member sends replies to; {@link MacAddress#NONE} if not known. */
  public MacAddress nextHop() {
    return nextHop;
  }

  /** Records that its client has sent FIN or RST. */
  public void end() {
    isEnded = true;
  }

  public boolean isEnded() {
    return isEnded;
  }

  /**
   * Records that its rule has expired: once recovered, the connection is dormant.
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

  /** Whether its rule expired at least that long ago. */
  public boolean isExpiredFor(long nanos, long nowNanos) {
    return isExpired() && nowNanos - expiredAtNanos >= nanos;
  }
}
