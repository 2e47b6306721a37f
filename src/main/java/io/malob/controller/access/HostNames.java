package io.malob.controller.access;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The names under which a browser may reach the controller. DNS rebinding needs a name that its
 * owner can point elsewhere, so names other than addresses and {@code localhost} must be
 * configured. A page is of the controller if its origin has the host and the port of the request,
 * or those of a configured name: a name without a port stands for the scheme's own port, as behind
 * a proxy. Immutable.
 *
 * @param configured further names, in lower case, some with a port
 */
public record HostNames(ImmutableSet<HostAndPort> configured) {
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  /**
   * The names of a setting, separated by commas or blanks.
   *
   * @throws IllegalArgumentException if one is no HOST or HOST:PORT
   */
  public static HostNames of(String setting) {
    ImmutableSet.Builder<HostAndPort> names = ImmutableSet.builder();
    for (String name : Splitter.onPattern("[,\\s]+").omitEmptyStrings().split(lower(setting))) {
      names.add(HostAndPort.fromString(name));
    }
    return new HostNames(names.build());
  }

  /** Whether a request with this Host header is meant for the controller. */
  public boolean accepts(String authority) {
    return read(authority).filter(named -> isOurs(named.getHost())).isPresent();
  }

  private boolean isOurs(String host) {
    return host.equals("localhost")
        || InetAddresses.isInetAddress(host)
        || configured.stream().anyMatch(name -> name.getHost().equals(host));
  }

  /** Whether this Origin header is of a page of the controller itself, reached as this host. */
  public boolean isOwn(String origin, String authority) {
    int scheme = origin.indexOf("://");
    if (scheme < 0) {
      return false; // "null": a page that hides its origin
    }
    int port = lower(origin.substring(0, scheme)).equals("https") ? HTTPS_PORT : HTTP_PORT;
    Optional<HostAndPort> page =
        read(origin.substring(scheme + 3)).map(named -> named.withDefaultPort(port));
    return page.isPresent()
        && Stream.concat(read(authority).stream(), configured.stream())
            .anyMatch(own -> own.withDefaultPort(port).equals(page.get()));
  }

  private static Optional<HostAndPort> read(String authority) {
    try {
      return Optional.of(HostAndPort.fromString(lower(authority)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
