package io.malob.controller.rest;

import io.malob.controller.access.Principal;
import io.malob.controller.access.Role;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;
import org.restlet.Request;

/** The identity of a client from its certificate, which TLS has verified. */
final class Certificates {
  private Certificates() {}

  /** The client's certificate's common name, an administrator if it is one of these. */
  static Optional<Principal> principalOf(Request request, Set<String> administrators) {
    @Nullable List<Certificate> shown = request.getClientInfo().getCertificates();
    if (shown == null || shown.isEmpty() || !(shown.get(0) instanceof X509Certificate first)) {
      return Optional.empty();
    }
    return commonName(first.getSubjectX500Principal().getName())
        .map(
            name ->
                new Principal(name, administrators.contains(name) ? Role.ADMIN : Role.READ_ONLY));
  }

  private static Optional<String> commonName(String subject) {
    try {
      for (Rdn part : new LdapName(subject).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN")) {
          return Optional.of(part.getValue().toString());
        }
      }
    } catch (InvalidNameException e) {
      // the certificate has no readable name
    }
    return Optional.empty();
  }
}
