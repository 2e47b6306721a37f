package io.malob.balancer.connection;

import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.estimate.ServiceProfile.Ended;
import io.malob.algorithm.estimate.TransferTime;
import org.jspecify.annotations.Nullable;

/**
 * One connection that something is learnt from. What is needed comes in pieces, on the threads that
 * read from its two switches: from its client's edge when it ends, and what it has asked; from its
 * member's edge what it has got. The last piece completes it. Thread-safe: the pieces are guarded
 * by this object's own lock, which is held for a few instructions.
 */
final class FlowSample {
  private static final long UNKNOWN = -1;

  private final Connection connection;
  private final ServiceProfile profile;
  private final Start start;

  private volatile boolean spoilt;
  private boolean ended;
  private long endNanos;
  private long requestBytes = UNKNOWN;
  private long requestNanos;
  private long replyBytes = UNKNOWN;
  private int rounds;

  /**
   * How a connection began.
   *
   * @param nanos when it was placed, on the controller's monotonic clock
   * @param inFlight how many connections its member had, without it
   * @param roundTripNanos the latency of both of its paths; 0 if unknown
   * @param bitsPerSecond what its reply path had to give; infinite if unknown
   */
  record Start(long nanos, long inFlight, double roundTripNanos, double bitsPerSecond) {}

  FlowSample(Connection connection, ServiceProfile profile, Start start) {
    this.connection = connection;
    this.profile = profile;
    this.start = start;
  }

  /** Whether a rule is of this connection, and not of another one of the same generation. */
  boolean isOf(int vipNumber, int memberNumber) {
    return connection.vipNumber() == vipNumber && connection.server().number() == memberNumber;
  }

  /** Nothing can be learnt from it any more. */
  void spoil() {
    spoilt = true;
  }

  boolean isSpoilt() {
    return spoilt;
  }

  /** Its client has ended it. */
  synchronized void ended(long nowNanos) {
    if (requestBytes == UNKNOWN) {
      ended = true;
      endNanos = nowNanos;
    }
  }

  /**
   * The rule of its requests has timed out.
   *
   * @param usedNanos from when the rule was made until it was last used
   * @return whether all is known now
   */
  synchronized boolean requestRuleEnded(long bytes, long usedNanos) {
    requestBytes = bytes;
    requestNanos = usedNanos;
    return replyBytes != UNKNOWN;
  }

  /**
   * The rule of its replies has timed out.
   *
   * @return whether all is known now
   */
  synchronized boolean replyRuleEnded(long bytes) {
    replyBytes = bytes;
    return requestBytes != UNKNOWN;
  }

  /** Learns from it, when all is known. */
  void learn() {
    @Nullable Ended whole = whole();
    if (whole != null) {
      profile.learn(whole);
    }
  }

  private synchronized @Nullable Ended whole() {
    if (spoilt || requestBytes == UNKNOWN || replyBytes == UNKNOWN) {
      return null;
    }
    spoilt = true; // once
    return new Ended(
        connection.server().number(),
        connection.server().weight(),
        start.inFlight,
        replyBytes,
        requestBytes,
        (double) Math.max(0, ended ? endNanos - start.nanos : requestNanos),
        TransferTime.nanos((double) replyBytes, start.roundTripNanos, start.bitsPerSecond));
  }

  /**
   * Whether to wait no longer, because its rules must have gone long ago. By the thread that tidies
   * up, at each round.
   */
  boolean isStale(int maxRounds) {
    boolean hasRules = connection.state().hasRules();
    rounds = hasRules ? 0 : rounds + 1;
    return spoilt || rounds > maxRounds;
  }
}
