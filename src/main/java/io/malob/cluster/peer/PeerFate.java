package io.malob.cluster.peer;

/** Hears of the processes of other controllers, on their event loops. */
public interface PeerFate {
  /** The process has ended; called once. */
  void ended(PeerAddress peer);

  /** Nothing has come of the process for about a second; called every half second. */
  void silent(PeerAddress peer);
}
