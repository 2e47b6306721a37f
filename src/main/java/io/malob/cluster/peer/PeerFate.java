package io.malob.cluster.peer;

/** Is told of the processes of other controllers, on their event loops. */
public interface PeerFate {
  /** The process has ended; told once. */
  void ended(PeerAddress peer);

  /** Nothing has come of the process for about a second; told every half second. */
  void silent(PeerAddress peer);
}
