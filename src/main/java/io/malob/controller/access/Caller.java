package io.malob.controller.access;

/**
 * The sender of a request.
 *
 * @param name of the token or the certificate
 * @param role its permissions
 */
public record Caller(String name, Role role) {
  /** The principal of unauthenticated requests: on loopback, without tokens. */
  public static final Caller ANYONE = new Caller("anyone", Role.ADMIN);
}
