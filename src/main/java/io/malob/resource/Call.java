package io.malob.resource;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.io.IOException;
import java.util.Optional;

/**
 * A request.
 *
 * @param method its method
 * @param site scheme, host and port as the client addressed them, for absolute links
 * @param uri the whole path, as sent
 * @param path the segments of the path below the base path, decoded
 * @param variables the segments that the route names, such as {@code {id}}
 * @param parameters the query parameters
 */
public record Call(
    String method,
    String site,
    String uri,
    ImmutableList<String> path,
    ImmutableMap<String, String> variables,
    QueryParameters parameters,
    Headers headers,
    RequestBody body) {

  /** The headers of a request. */
  @FunctionalInterface
  public interface Headers {
    /** The value of a header; empty if it is missing. */
    Optional<String> get(String name);
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
    return headers.get(name);
  }

  /** The body as JSON. */
  public JsonInput<RejectedException> json() throws IOException, RejectedException {
    return JsonInput.ofRequest(body.bytes());
  }

  /** The same request, whose body can be read several times. For one thread. */
  public Call repeatable() {
    return new Call(method, site, uri, path, variables, parameters, headers, body.kept());
  }

  /** The same request, as a route sees it. */
  Call on(ImmutableMap<String, String> newVariables) {
    return new Call(method, site, uri, path, newVariables, parameters, headers, body);
  }
}
