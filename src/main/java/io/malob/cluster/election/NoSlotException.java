package io.malob.cluster.election;

/** The cluster has the max number of live controllers; the message is for users. */
public final class NoSlotException extends Exception {
  private static final long serialVersionUID = 1L;

  NoSlotException(String message) {
    super(message);
  }
}
