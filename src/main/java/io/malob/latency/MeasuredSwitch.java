package io.malob.latency;

import io.malob.algorithm.estimate.WindowMinimum;
import java.util.OptionalLong;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A switch, and its latest control round trips. Written only by the thread of the schedule; others
 * may read {@link #controlRoundTrip}.
 */
final class MeasuredSwitch implements Target {
  /** The number of unanswered probes in a row after which the other method is tried. */
  private static final int UNANSWERED = 3;

  private final DatapathId id;
  private final WindowMinimum roundTrips;
  private ControlMethod method;
  private int unanswered;
  private boolean isNeeded;
  private volatile ControlRoundTrip published;

  MeasuredSwitch(DatapathId id, ControlMethod method, long windowNanos) {
    this.id = id;
    this.method = method;
    roundTrips = new WindowMinimum(windowNanos);
    published = new ControlRoundTrip(method, OptionalLong.empty());
  }

  /** A probe arrives here: its latency depends on the round trips of this switch. */
  void need() {
    isNeeded = true;
  }

  /**
   * Whether a probe has arrived here since the last call. To be called if another controller is
   * master of the switch: it answers only echoes then.
   */
  boolean takeNeed() {
    boolean wasNeeded = isNeeded;
    isNeeded = false;
    if (wasNeeded && method != ControlMethod.ECHO) {
      roundTrips.clear();
      method = ControlMethod.ECHO;
    }
    return wasNeeded;
  }

  /** The latest round trips, all measured by the same method. */
  WindowMinimum roundTrips() {
    return roundTrips;
  }

  /** A probe was answered. */
  void answered(ControlMethod by, long tookNanos, long nowNanos) {
    if (by == method && tookNanos > 0) {
      unanswered = 0;
      roundTrips.add(tookNanos, nowNanos);
      publish(nowNanos);
    }
  }

  /** A probe was not answered. */
  void lost(ControlMethod by, long nowNanos) {
    if (by == method && ++unanswered >= UNANSWERED) {
      unanswered = 0;
      roundTrips.clear();
      method = method.other();
    }
    publish(nowNanos);
  }

  private void publish(long nowNanos) {
    published = new ControlRoundTrip(method, roundTrips.get(nowNanos));
  }

  /** The current state, for any thread. */
  ControlRoundTrip controlRoundTrip() {
    return published;
  }

  @Override
  public DatapathId sender() {
    return id;
  }

  @Override
  public OFPort senderPort() {
    return OFPort.CONTROLLER;
  }

  @Override
  public ControlMethod method() {
    return method;
  }

  @Override
  public boolean isReceiver(DatapathId switchId, OFPort port) {
    return id.equals(switchId) && port.equals(OFPort.CONTROLLER);
  }
}
