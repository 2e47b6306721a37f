package io.malob.controller.access;

import java.security.cert.X509Certificate;

/**
 * The sender of a request.
 *
 * @param name of the token or the certificate
 * @param role its permissions
 */
public record Principal(String name, Role role) {
  /** The principal of unauthenticated requests: on loopback, without tokens. */
  public static final Principal ANYONE = new Principal("anyone", Role.ADMIN);

  /** The principal of a client certificate, which TLS has verified; never an anonymous one. */
  public static Principal of(X509Certificate certificate, Administrators administrators) {
    return ClientCertificate.principalOf(certificate, administrators);
  }
}
