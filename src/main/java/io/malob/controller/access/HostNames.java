package io.malob.controller.access;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import java.util.Locale;

/**
 * The names under which a browser may reach the controller. DNS rebinding needs a name that its
 * owner can point elsewhere, so names other than addresses and {@code localhost} must be
 * configured. Immutable.
 *
 * @param configured further names, in lower case
 */
public record HostNames(ImmutableSet<String> configured) {

  /** The names of a setting, separated by commas or blanks. */
  public static HostNames of(String setting) {
    ImmutableSet.Builder<String> names = ImmutableSet.builder();
    for (String name :
        Splitter.onPattern("[,\\s]+").omitEmptyStrings().split(setting.toLowerCase(Locale.ROOT))) {
      names.add(name);
    }
    return new HostNames(names.build());
  }

  /** Whether a request with this Host header is meant for the controller. */
  public boolean accepts(String authority) {
    String host;
    try {
      host = HostAndPort.fromString(authority).getHost().toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException e) {
      return false;
    }
    return host.equals("localhost")
        || configured.contains(host)
        || InetAddresses.isInetAddress(host);
  }

  /** Whether this Origin header is of a page of the controller itself, reached as this host. */
  public boolean isOwn(String origin, String authority) {
    int scheme = origin.indexOf("://");
    if (scheme < 0) {
      return false; // "null": a page that hides its origin
    }
    String from = origin.substring(scheme + 3).toLowerCase(Locale.ROOT);
    if (from.equals(authority.toLowerCase(Locale.ROOT))) {
      return true;
    }
    try {
      return configured.contains(HostAndPort.fromString(from).getHost());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
