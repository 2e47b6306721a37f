package io.malob.endhost;

import io.malob.openflow.uplink.FlowKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * One flow of the host on its uplink. A flow that moves to another uplink is replaced. Several
 * threads may use it: each field is on its own.
 */
final class Flow {
  private final FlowKey key;
  private final int uplink;
  private final IPAddress<?> address;
  private final long generation;
  private final long startedNanos;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile long rulesSentNanos;
  private volatile boolean endedByHost;
  private volatile boolean endedByPeer;
  private volatile long receivedBytes;
  private volatile long sentBytes;
  private volatile long activeNanos;
  private double expectedBytes;
  private boolean isAnswered;

  /**
   * A new flow.
   *
   * @param uplink the uplink's number
   * @param address the host's on this uplink: without it, the flow cannot continue
   * @param generation distinguishes its rules from those of other flows
   */
  Flow(FlowKey key, int uplink, IPAddress<?> address, long generation, long startedNanos) {
    this.key = key;
    this.uplink = uplink;
    this.address = address;
    this.generation = generation;
    this.startedNanos = startedNanos;
    this.activeNanos = startedNanos;
  }

  FlowKey key() {
    return key;
  }

  int uplink() {
    return uplink;
  }

  IPAddress<?> address() {
    return address;
  }

  long generation() {
    return generation;
  }

  long startedNanos() {
    return startedNanos;
  }

  /** Whether its rules should be sent now; true once in that time. */
  boolean needsRules(long nowNanos, long againNanos) {
    long sent = rulesSentNanos;
    if (sent != 0 && nowNanos - sent < againNanos) {
      return false;
    }
    rulesSentNanos = nowNanos == 0 ? 1 : nowNanos;
    return true;
  }

  /** The switch has its rules already. */
  void hasRules(long nowNanos) {
    rulesSentNanos = nowNanos == 0 ? 1 : nowNanos;
  }

  /** Ends it; false if it has ended before. */
  boolean end() {
    return over.compareAndSet(false, true);
  }

  boolean isOver() {
    return over.get();
  }

  /** One end has sent FIN; true if both have. */
  boolean finished(boolean byHost) {
    if (byHost) {
      endedByHost = true;
    } else {
      endedByPeer = true;
    }
    return endedByHost && endedByPeer;
  }

  /** The switch's counters for it. */
  void counted(long received, long sent, long nowNanos) {
    if (received > receivedBytes || sent > sentBytes) {
      activeNanos = nowNanos;
    }
    receivedBytes = Math.max(received, receivedBytes);
    sentBytes = Math.max(sent, sentBytes);
  }

  long receivedBytes() {
    return receivedBytes;
  }

  long sentBytes() {
    return sentBytes;
  }

  /** The time of its last observed traffic. */
  long activeNanos() {
    return activeNanos;
  }

  /** The first packet of its peer has been counted; true once. For {@link Answers}. */
  boolean isAnsweredNow() {
    boolean was = isAnswered;
    isAnswered = true;
    return !was;
  }

  /** Sets the expected remaining traffic; returns the former value. For {@link UplinkChoice}. */
  double expect(double bytes) {
    double before = expectedBytes;
    expectedBytes = bytes;
    return before;
  }
}
