package io.malob.cluster.peer;

/** The other side of a connection breaks the protocol, or is no controller of this cluster. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /** A refusal for a reason, for operators. */
  RefusedException(String why) {
    super(why);
  }
}
