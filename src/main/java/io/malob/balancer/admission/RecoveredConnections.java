package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;

/** Connections from before the controller's start that are not fully recovered yet. Thread-safe. */
public interface RecoveredConnections {
  /** How to handle a packet whose connection is not in the table. */
  enum Verdict {
    /** The packet belongs to a new connection. */
    NEW,
    /** The connection may be recovered soon: retry the packet later. */
    WAIT,
    /** The packet may belong to a connection whose rules still forward it: ignore the packet. */
    LEAVE
  }

  /**
   * Judges a packet whose connection is not in the table.
   *
   * @param mustBeRead whether the rules of its switch may say which member gets it, as buckets do
   */
  Verdict judge(Arrival arrival, boolean mustBeRead);

  /** Whether some switches have not been read yet, so that paths over them may be missing. */
  boolean isIncomplete();

  /**
   * Gives up the recovery of a connection, because its client starts a new one; false if there is
   * none.
   */
  boolean giveUp(FiveTuple request);

  /** Whether there is a connection with this five-tuple of replies, as the member sends them. */
  boolean hasReply(FiveTuple reply);

  /** The client has sent FIN or RST. */
  void ended(FiveTuple request);

  /** The request rule of a connection has timed out, whether or not the connection is known. */
  void timedOut(FiveTuple request, int generation);
}
