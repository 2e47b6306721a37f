package io.malob.balancer.proactive;

import io.malob.balancer.bucket.Bucket.Cause;

/** The member of one bucket at one client edge. For one thread at a time. */
final class Cell {
  /** The number of the member of new connections; 0 for none. */
  int member;

  /** While it moves: the number of the member of established connections; 0 otherwise. */
  int before;

  long movingSinceNanos;

  /** When it last changed its member. */
  long movedAtNanos;

  Cause cause = Cause.FIRST;

  Cell(int member, long movedAtNanos) {
    this.member = member;
    this.movedAtNanos = movedAtNanos;
  }

  boolean isMoving() {
    return before != 0;
  }

  /** The member of established connections. */
  int current() {
    return before == 0 ? member : before;
  }

  /** The member of new connections, or else that of established ones. */
  int latest() {
    return member == 0 ? before : member;
  }

  /** Established connections stay where they are until it has moved to another member. */
  void move(int newMember, long nowNanos) {
    before = current();
    member = newMember;
    movingSinceNanos = nowNanos;
  }

  /** It leads to its member alone. */
  void settle(long nowNanos) {
    before = 0;
    movedAtNanos = nowNanos;
  }
}
