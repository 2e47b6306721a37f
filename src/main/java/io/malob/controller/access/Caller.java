package io.malob.controller.access;

/**
 * Who sent a request.
 *
 * @param name of the token or the certificate
 * @param role what it may do
 */
public record Caller(String name, Role role) {
  /** The principal of unauthenticated requests: on loopback, without tokens. */
  public static final Caller ANYONE = new Caller("anyone", Role.ADMIN);
}
