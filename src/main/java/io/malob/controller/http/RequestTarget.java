package io.malob.controller.http;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import io.malob.controller.access.RequestHead;
import io.malob.resource.Call;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** The path of a request, the host that it is for, and its sender. */
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
   * Whether it has one Host header, or is of HTTP/1.0 and has none. Links in answers contain it, so
   * it must be a host, with a number after the colon.
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

  /** The head of a request with a valid path and host, and its sender. */
  static RequestHead head(HttpRequest request, Optional<SslHandler> tls, InetSocketAddress sender) {
    String target = request.uri();
    int end = target.indexOf('?');
    Call.Headers headers = name -> Optional.ofNullable(request.headers().get(name));
    String site =
        headers
            .get("Host")
            .map(host -> (tls.isPresent() ? "https://" : "http://") + host)
            .orElse("");
    return new RequestHead(
        Call.Head.at(
            site,
            request.method().name(),
            end < 0 ? target : target.substring(0, end),
            end < 0 ? "" : target.substring(end + 1),
            headers),
        tls.map(RequestTarget::certificates).orElse(ImmutableList.of()),
        sender.getAddress().getHostAddress());
  }

  private static ImmutableList<X509Certificate> certificates(SslHandler tls) {
    try {
      return Arrays.stream(tls.engine().getSession().getPeerCertificates())
          .filter(X509Certificate.class::isInstance)
          .map(X509Certificate.class::cast)
          .collect(toImmutableList());
    } catch (SSLPeerUnverifiedException e) {
      return ImmutableList.of();
    }
  }
}
