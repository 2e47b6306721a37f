package io.malob.resource;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.restlet.Request;

/**
 * Scheme, host and port as a client has addressed the server, for absolute links. A proxy that ends
 * TLS tells the scheme in {@code X-Forwarded-Proto}. The header needs no trust, because only the
 * client that sends a request gets the links in its answer.
 */
public final class Site {
  private static final String SEPARATOR = "://";

  private Site() {}

  /** The site of a request, as in {@code https://lb.example:8443}. */
  public static String of(Request request) {
    String seen = request.getResourceRef().getHostIdentifier();
    @Nullable String header = request.getHeaders().getFirstValue("X-Forwarded-Proto", true);
    // behind several proxies, the first one speaks to the client
    String scheme = header == null ? "" : header.split(",", 2)[0].strip().toLowerCase(Locale.ROOT);
    int end = seen.indexOf(SEPARATOR);
    boolean isKnown = scheme.equals("https") || scheme.equals("http");
    return isKnown && end >= 0 ? scheme + seen.substring(end) : seen;
  }
}
