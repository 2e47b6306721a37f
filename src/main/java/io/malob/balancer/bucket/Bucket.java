package io.malob.balancer.bucket;

import io.malob.algorithm.Server;
import org.jspecify.annotations.Nullable;

/**
 * One bucket at one moment. Immutable.
 *
 * @param member the member of new connections; null if the VIP's algorithm chooses it for each
 * @param before the member of established connections, while the bucket moves; null otherwise
 * @param movingSinceNanos when it began to move, on the controller's monotonic clock
 */
public record Bucket(@Nullable Server member, @Nullable Server before, long movingSinceNanos) {

  /** A bucket that leads to a member. */
  public static Bucket at(Server member) {
    return new Bucket(member, null, 0);
  }

  /** Whether its packets go to the controller. */
  public boolean isMoving() {
    return before != null;
  }
}
