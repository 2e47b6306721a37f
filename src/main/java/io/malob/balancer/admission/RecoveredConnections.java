package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;

/** Connections of before this controller's start that are not known yet. Thread-safe. */
public interface RecoveredConnections {
  /** What to do with a packet whose connection is not known. */
  enum Verdict {
    /** Its connection is new. */
    NEW,
    /** It is to be tried again in a moment. */
    WAIT,
    /** It may belong to a connection that goes on by its rules: nothing. */
    LEAVE
  }

  Verdict judge(Arrival arrival);

  /** Whether there are switches whose rules are not known yet, and so no paths over them. */
  boolean isIncomplete();

  /** Gives a connection up, because its client starts a new one; false if there is none. */
  boolean giveUp(FiveTuple request);

  /** Whether there is a connection with these reply packets, as the member makes them. */
  boolean hasReply(FiveTuple reply);

  /** The client has sent FIN or RST. */
  void ended(FiveTuple request);

  /** The request rule has timed out. */
  void timedOut(FiveTuple request, int generation);
}
