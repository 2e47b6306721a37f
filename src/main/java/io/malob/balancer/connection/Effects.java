package io.malob.balancer.connection;

import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import org.jspecify.annotations.Nullable;

/**
 * What a transition of a {@link Connection} leaves to its caller.
 *
 * @param before the state that it left
 * @param after the state that it entered; the same if only the half-open limit is concerned
 * @param isEnded whether the client had ended the connection before
 * @param halfOpenUntil until when it would have counted as half open, so that it is to be taken off
 *     the half-open limit; {@link Connection#NOT_HALF_OPEN} if it did not count
 * @param openedAtNanos when its first packet came, on the controller's monotonic clock
 * @param route the paths that it had; to be released if it has no rules any more. Null for none
 */
public record Effects(
    State before,
    State after,
    boolean isEnded,
    long halfOpenUntil,
    long openedAtNanos,
    @Nullable Route route) {

  /** The transition is not one of the state that the connection is in. Nothing has changed. */
  public static final Effects NONE =
      new Effects(State.CLOSED, State.CLOSED, false, Connection.NOT_HALF_OPEN, 0, null);

  /** Whether this was a transition: of several threads that try the same, one gets true. */
  public boolean happened() {
    return before != after;
  }

  /** Whether it is to be taken off the counts of its VIP and member. */
  public boolean countsNoMore() {
    return before.counts() && !after.counts();
  }

  /** Whether it is to be put on the counts of its VIP and member. */
  public boolean countsAgain() {
    return after.counts() && !before.counts();
  }

  /** The paths to be released; null for none. */
  public @Nullable Route released() {
    return after.hasRules() ? null : route;
  }
}
