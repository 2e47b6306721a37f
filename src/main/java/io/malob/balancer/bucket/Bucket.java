package io.malob.balancer.bucket;

import io.malob.algorithm.Server;
import org.jspecify.annotations.Nullable;

/**
 * One bucket at one moment. Immutable.
 *
 * @param member the member of new connections; null if the VIP's algorithm chooses it for each, or
 *     if the member is not located
 * @param before the member of established connections, while the bucket moves; null otherwise
 * @param cause why it leads, or moves, to its member
 * @param sinceNanos since when, on the controller's monotonic clock
 */
public record Bucket(
    @Nullable Server member, @Nullable Server before, Cause cause, long sinceNanos) {

  /** Why a bucket leads where it does. */
  public enum Cause {
    /** The first assignment. */
    FIRST("first_assignment"),
    /** Found on the switch after a restart. */
    FOUND("found_on_switch"),
    /** The shares of the members have changed. */
    SHARES("shares"),
    /** Its member before took no new connections any more. */
    DRAINED("member_drained"),
    /** Its member before was down or removed. */
    DEAD("member_down");

    private final String text;

    Cause(String text) {
      this.text = text;
    }

    /** Its name in REST. */
    public String text() {
      return text;
    }
  }

  /** Whether its packets go to the controller. */
  public boolean isMoving() {
    return before != null;
  }
}
