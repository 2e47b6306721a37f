package io.malob.cluster.election;

/** Why this controller cannot, or must not, join the cluster; the message is for users. */
public final class NotJoinedException extends Exception {
  private static final long serialVersionUID = 1L;

  NotJoinedException(String message) {
    super(message);
  }
}
