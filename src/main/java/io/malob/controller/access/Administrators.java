package io.malob.controller.access;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import java.util.Locale;

/**
 * The client certificates with the role admin: by the common name of their subject, or with the
 * prefix {@code DNS:} or {@code URI:} by an alternative name. A common name never counts as an
 * alternative name. Immutable.
 */
public record Administrators(ImmutableSet<String> names) {
  private static final String DNS = "DNS:";
  private static final String URI = "URI:";

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

  /** How the setting names a DNS name. */
  static String dns(String name) {
    return DNS + name.toLowerCase(Locale.ROOT);
  }

  /** How the setting names a URI. */
  static String uri(String name) {
    return URI + name;
  }

  /** Whether it has a common name. */
  boolean hasCommonName(String name) {
    return !name.startsWith(DNS) && !name.startsWith(URI) && names.contains(name);
  }

  /** Whether it has an alternative name, as {@link #dns} or {@link #uri} gives it. */
  boolean hasAlternative(String name) {
    return names.contains(name);
  }
}
