package io.malob.resource;

/**
 * What a request demands of the server.
 *
 * @param maxBodyBytes of its body
 * @param waits whether it waits for the answer of a switch
 */
public record Demand(int maxBodyBytes, boolean waits) {
  /** Of most requests. */
  public static final Demand USUAL = new Demand(RequestBody.USUAL_BYTES, false);

  /** Of those that wait for the answer of a switch. */
  public static final Demand WAITING = new Demand(RequestBody.USUAL_BYTES, true);
}
