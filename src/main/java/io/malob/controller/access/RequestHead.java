package io.malob.controller.access;

import com.google.common.collect.ImmutableList;
import io.malob.resource.Call;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * The head of a request, and its sender.
 *
 * @param certificates the client's certificate and its chain, verified by TLS; empty without one
 * @param client its IP address
 */
public record RequestHead(
    Call.Head head, ImmutableList<X509Certificate> certificates, String client) {
  private static final String BEARER = "Bearer ";

  /** The token in requests of OpenStack's clients. */
  private static final String OPENSTACK_TOKEN = "X-Auth-Token";

  /** Methods that usually read. */
  private static final List<String> SAFE = List.of("GET", "HEAD", "OPTIONS");

  /** Its method. */
  public String method() {
    return head.method();
  }

  /** Its path as sent, without the query. */
  public String path() {
    return head.path();
  }

  /** Whether its method is usually a read. */
  public boolean isSafe() {
    return SAFE.contains(method());
  }

  /** The value of a header; empty if it is missing. */
  public Optional<String> header(String name) {
    return head.headers().get(name);
  }

  /** The token; empty without one. */
  public Optional<String> token() {
    return header("Authorization")
        .filter(text -> text.regionMatches(true, 0, BEARER, 0, BEARER.length()))
        .map(text -> text.substring(BEARER.length()).trim())
        .or(() -> header(OPENSTACK_TOKEN));
  }

  /** The path without a trailing slash. */
  public String place() {
    return path().endsWith("/") ? path().substring(0, path().length() - 1) : path();
  }
}
