package io.malob.balancer.proactive;

import io.malob.balancer.bucket.Bucket.Cause;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;

/** The state of one bucket at one client edge. For one thread at a time. */
final class Cell {
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

  /** The port that its rule names. */
  Optional<OFPort> sentPort = Optional.empty();

  /** The member in the cookie of its rule; 0 if it has none. */
  int sentMember;

  boolean isSentMoving;
  long sentAtNanos;

  /** The change of its rule that waits for its turn; null if none does. */
  @Nullable Reroute waiting;

  /** Another path to the same member. */
  record Reroute(Lead lead, Optional<OFPort> port, OFMessage message) {}

  Optional<OFMessage> takeTurn(long nowNanos) {
    @Nullable Reroute next = waiting;
    if (next == null) {
      return Optional.empty();
    }
    waiting = null;
    sent = next.lead;
    sentPort = next.port;
    sentAtNanos = nowNanos;
    return Optional.of(next.message);
  }

  boolean isMoving() {
    return before != 0;
  }
}
