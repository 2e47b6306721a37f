package io.malob.controller.http;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.primitives.Ints;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The path of a request, and the host that it is for. */
final class RequestTarget {
  /** What ends the host of a URI, or a user before it. */
  private static final CharMatcher NOT_OF_HOST = CharMatcher.anyOf("/?#@\\");

  private RequestTarget() {}

  /**
   * Checks the URI of a request. The authority of an absolute one replaces the Host header (RFC
   * 9112, section 3.2.2), so that there is one place to check, and its path is what remains.
   */
  static boolean normalize(HttpRequest request) {
    if (request.uri().equals("*")) {
      return true;
    }
    try {
      URI uri = new URI(request.uri());
      @Nullable String path = uri.getRawPath();
      if (path == null || uri.getRawFragment() != null) {
        return false;
      }
      if (request.uri().startsWith("/")) {
        return true;
      }
      return isAbsolute(uri) && takeAuthority(request, uri, path);
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static boolean isAbsolute(URI uri) {
    @Nullable String scheme = uri.getScheme();
    return scheme != null
        && (Ascii.equalsIgnoreCase(scheme, "http") || Ascii.equalsIgnoreCase(scheme, "https"))
        && uri.getHost() != null
        && uri.getRawUserInfo() == null;
  }

  private static boolean takeAuthority(HttpRequest request, URI uri, String path) {
    // a request without a Host is refused all the same
    if (request.headers().getAll(HttpHeaderNames.HOST).size() == 1) {
      request.headers().set(HttpHeaderNames.HOST, uri.getRawAuthority());
    }
    String place = path.isEmpty() ? "/" : path;
    request.setUri(uri.getRawQuery() == null ? place : place + "?" + uri.getRawQuery());
    return true;
  }

  /**
   * Whether it has one Host header, or is of HTTP/1.0 and has none. Restlet needs a number after
   * the colon, and would take the path from a host that is none: permissions depend on the path.
   */
  static boolean hasHost(HttpRequest request) {
    List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
    if (hosts.isEmpty()) {
      return request.protocolVersion().compareTo(HttpVersion.HTTP_1_0) <= 0;
    }
    String host = hosts.get(0);
    int colon = host.indexOf(':', Math.max(0, host.indexOf(']')));
    return hosts.size() == 1
        && NOT_OF_HOST.matchesNoneOf(host)
        && (colon < 0 || Ints.tryParse(host.substring(colon + 1)) != null);
  }
}
