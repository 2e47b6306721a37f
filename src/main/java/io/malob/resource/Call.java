package io.malob.resource;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/**
 * A request.
 *
 * @param path the segments of the path below the base path, decoded
 * @param variables the segments that the route names, such as {@code {id}}
 * @param parameters the query parameters
 */
public record Call(
    Head head,
    ImmutableList<String> path,
    ImmutableMap<String, String> variables,
    QueryParameters parameters,
    RequestBody body) {

  /**
   * The head of a request, as sent.
   *
   * @param site scheme, host and port as the client addressed them, for absolute links
   * @param path the whole path, without the query
   * @param query empty if there is none
   */
  public record Head(String method, String site, String path, String query, Headers headers) {
    private static final String SEPARATOR = "://";

    /**
     * The head of a request that came to this scheme, host and port. A proxy that ends TLS tells
     * the client's scheme in {@code X-Forwarded-Proto}. The header needs no trust, because only the
     * client that sends a request gets the links in its answer.
     */
    public static Head at(
        String seenSite, String method, String path, String query, Headers headers) {
      // behind several proxies, the first one speaks to the client
      String scheme =
          headers
              .get("X-Forwarded-Proto")
              .map(text -> text.split(",", 2)[0].strip().toLowerCase(Locale.ROOT))
              .orElse("");
      int end = seenSite.indexOf(SEPARATOR);
      boolean isKnown = scheme.equals("https") || scheme.equals("http");
      String site = isKnown && end >= 0 ? scheme + seenSite.substring(end) : seenSite;
      return new Head(method, site, path, query, headers);
    }

    /** Path and query. */
    public String target() {
      return query.isEmpty() ? path : path + "?" + query;
    }
  }

  /** The headers of a request. */
  @FunctionalInterface
  public interface Headers {
    /** The value of a header; empty if it is missing. */
    Optional<String> get(String name);
  }

  /** Its method. */
  public String method() {
    return head.method;
  }

  /** Scheme, host and port as the client addressed them, for absolute links. */
  public String site() {
    return head.site;
  }

  /** The whole path, as sent. */
  public String uri() {
    return head.path;
  }

  /**
   * A segment of the path.
   *
   * @throws IllegalArgumentException if the path of the route has no such name
   */
  public String variable(String name) {
    String value = variables.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route has no {" + name + "}");
    }
    return value;
  }

  /** The value of a query parameter; empty if it is not given. */
  public Optional<String> parameter(String name) {
    return parameters.text(name);
  }

  /** The value of a header; empty if it is missing. */
  public Optional<String> header(String name) {
    return head.headers.get(name);
  }

  /** The body as JSON. */
  public JsonInput<RejectedException> json() throws IOException, RejectedException {
    return JsonInput.ofRequest(body.bytes());
  }

  /** The same request, whose body can be read several times. For one thread. */
  public Call repeatable() {
    return new Call(head, path, variables, parameters, body.kept());
  }

  /** The same request, as a route sees it. */
  Call on(ImmutableMap<String, String> newVariables) {
    return new Call(head, path, newVariables, parameters, body);
  }
}
