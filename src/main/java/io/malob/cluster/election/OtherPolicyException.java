package io.malob.cluster.election;

/** The cluster has another policy of mastership than this controller's settings. */
public final class OtherPolicyException extends Exception {
  private static final long serialVersionUID = 1;

  OtherPolicyException(String message) {
    super(message);
  }
}
