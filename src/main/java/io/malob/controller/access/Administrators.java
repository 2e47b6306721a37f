package io.malob.controller.access;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * The client certificates with the role admin: by the common name of their subject, or with the
 * prefix {@code DNS:} or {@code URI:} by an alternative name. A common name never counts as an
 * alternative name. Immutable.
 */
public record Administrators(ImmutableSet<String> names) {
  private static final String DNS = "DNS:";
  private static final String URI = "URI:";
  private static final int DNS_NAME = 2;
  private static final int URI_NAME = 6;

  /** The administrators of a setting, separated by commas. */
  public static Administrators of(String setting) {
    return new Administrators(
        Splitter.on(',')
            .trimResults()
            .omitEmptyStrings()
            .splitToStream(setting)
            .map(name -> name.startsWith(DNS) ? dns(name.substring(DNS.length())) : name)
            .collect(ImmutableSet.toImmutableSet()));
  }

  /**
   * The principal of a certificate, which TLS has verified; never an anonymous one. Its name is the
   * one that makes it an administrator, or else its most specific common name, an alternative name
   * or its serial number.
   */
  public Principal principalOf(X509Certificate certificate) {
    Optional<String> common = commonName(certificate);
    ImmutableList<String> others = alternatives(certificate);
    if (common.isPresent() && hasCommonName(common.get())) {
      return new Principal(shown(common.get()), Role.ADMIN);
    }
    for (String name : others) {
      if (names.contains(name)) {
        return new Principal(shown(name), Role.ADMIN);
      }
    }
    String name =
        common
            .or(() -> others.stream().findFirst())
            .orElse("serial:" + certificate.getSerialNumber().toString(16));
    return new Principal(shown(name), Role.READ_ONLY);
  }

  /** The most specific common name, which is the last one of an LDAP name. */
  private static Optional<String> commonName(X509Certificate certificate) {
    try {
      LdapName subject = new LdapName(certificate.getSubjectX500Principal().getName());
      for (Rdn part : Lists.reverse(subject.getRdns())) {
        @Nullable Attribute name = part.toAttributes().get("CN");
        // bytes stand for a value that is no string
        if (name != null && name.get() instanceof String text && !text.isBlank()) {
          return Optional.of(text);
        }
      }
    } catch (NamingException e) {
      return Optional.empty(); // the subject is not readable
    }
    return Optional.empty();
  }

  private static ImmutableList<String> alternatives(X509Certificate certificate) {
    ImmutableList.Builder<String> names = ImmutableList.builder();
    try {
      @Nullable Collection<List<?>> all = certificate.getSubjectAlternativeNames();
      for (List<?> typed : all == null ? List.<List<?>>of() : all) {
        if (typed.get(0) instanceof Integer type && typed.get(1) instanceof String name) {
          if (type == DNS_NAME) {
            names.add(dns(name));
          } else if (type == URI_NAME) {
            names.add(URI + name);
          }
        }
      }
    } catch (CertificateParsingException e) {
      return ImmutableList.of(); // none is readable
    }
    return names.build();
  }

  /** For a line of the log, where blanks separate fields. */
  private static String shown(String name) {
    return name.replaceAll("[^\\x21-\\x7E\\u00A1-\\uFFEF]|[\"=]", "_");
  }

  private boolean hasCommonName(String name) {
    return !name.startsWith(DNS) && !name.startsWith(URI) && names.contains(name);
  }

  private static String dns(String name) {
    return DNS + name.toLowerCase(Locale.ROOT);
  }
}
