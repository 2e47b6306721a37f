package io.malob.balancer.proactive;

import org.jspecify.annotations.Nullable;

/** The state of one bucket at one client edge. For one thread at a time. */
final class Cell {
  /** Why a bucket leads where it does. */
  enum Cause {
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

    String text() {
      return text;
    }
  }

  /** The number of the member of new connections; 0 for none. */
  int member;

  /** While it moves: the number of the member of established connections; 0 otherwise. */
  int before;

  long movingSinceNanos;

  /** When it last changed its member. */
  long movedAtNanos;

  Cause cause = Cause.FIRST;

  /** The lead in its rule; null if the rule sends it to the controller, or is not known. */
  @Nullable Lead sent;

  /** The member in the cookie of its rule; 0 if it has none. */
  int sentMember;

  boolean isSentMoving;
  long sentAtNanos;

  /** The packets that its rule had counted at the last poll. */
  long packets;

  /** Packets per second, smoothed. */
  double rate;

  boolean isMoving() {
    return before != 0;
  }
}
