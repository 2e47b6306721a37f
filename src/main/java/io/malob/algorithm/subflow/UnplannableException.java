package io.malob.algorithm.subflow;

/** Routes cannot be planned; the message gives the reason and names the switches. */
public final class UnplannableException extends Exception {
  private static final long serialVersionUID = 1;

  public UnplannableException(String message) {
    super(message);
  }
}
