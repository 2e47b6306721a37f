package io.malob.cluster.election;

/** Another live controller of the cluster has this controller's name; the message is for users. */
public final class NameTakenException extends Exception {
  private static final long serialVersionUID = 1L;

  NameTakenException(String message) {
    super(message);
  }
}
