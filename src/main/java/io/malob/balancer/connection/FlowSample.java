package io.malob.balancer.connection;

import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.estimate.ServiceProfile.Ended;
import io.malob.algorithm.estimate.TransferTime;
import org.jspecify.annotations.Nullable;

/**
 * A connection that its service's profile learns from. The data come in parts, on the threads that
 * read from its two switches: the client's edge switch reports the end and the request bytes, the
 * member's edge switch its reply bytes. The last part completes the sample. Thread-safe: this
 * object's own lock guards the parts and is held for a few instructions.
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
   * @param inFlight how many other connections its member had
   * @param roundTripNanos the latency of both of its paths; 0 if unknown
   * @param bitsPerSecond its share of the reply path's bandwidth; infinite if unknown
   */
  record Start(long nanos, long inFlight, double roundTripNanos, double bitsPerSecond) {}

  FlowSample(Connection connection, ServiceProfile profile, Start start) {
    this.connection = connection;
    this.profile = profile;
    this.start = start;
  }

  /** Whether a rule belongs to this connection, and not to another with the same generation. */
  boolean isOf(int vipNumber, int memberNumber) {
    return connection.vipNumber() == vipNumber && connection.server().number() == memberNumber;
  }

  /** Marks the sample as unusable. */
  void spoil() {
    spoilt = true;
  }

  boolean isSpoilt() {
    return spoilt;
  }

  /** The client has ended the connection. */
  synchronized void ended(long nowNanos) {
    if (requestBytes == UNKNOWN) {
      ended = true;
      endNanos = nowNanos;
    }
  }

  /**
   * One of its rules has timed out.
   *
   * @param usedNanos from the rule's installation to its last use
   * @return whether the sample is complete
   */
  synchronized boolean ruleEnded(boolean isReply, long bytes, long usedNanos) {
    if (isReply) {
      replyBytes = bytes;
    } else {
      requestBytes = bytes;
      requestNanos = usedNanos;
    }
    return requestBytes != UNKNOWN && replyBytes != UNKNOWN;
  }

  /** Passes the sample to the profile if it is complete. */
  void learn() {
    @Nullable Ended complete = takeComplete();
    if (complete != null) {
      profile.learn(complete);
    }
  }

  private synchronized @Nullable Ended takeComplete() {
    if (spoilt || requestBytes == UNKNOWN || replyBytes == UNKNOWN) {
      return null;
    }
    spoilt = true; // learn only once
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
   * Whether the sample is unusable, or its rules must have expired long ago. Called by the
   * housekeeping thread, once a round.
   */
  boolean isStale(int maxRounds) {
    boolean hasRules = connection.state().hasRules();
    rounds = hasRules ? 0 : rounds + 1;
    return spoilt || rounds > maxRounds;
  }
}
