package io.malob.controller.access;

/**
 * The sender of a request.
 *
 * @param name of the token or the certificate
 * @param role its permissions
 */
public record Principal(String name, Role role) {
  /** The principal of unauthenticated requests: on loopback, without tokens. */
  public static final Principal ANYONE = new Principal("anyone", Role.ADMIN);
}
