package io.malob.rest;

import java.util.List;
import java.util.Optional;

/**
 * A request.
 *
 * @param method its method; GET for HEAD
 * @param path the segments of the path below the base path, decoded
 * @param query what is behind the question mark, as it was sent; empty if there is none
 */
record Call(String method, List<String> path, String query, Headers headers, RequestBody body) {

  /** The headers of a request. */
  @FunctionalInterface
  interface Headers {
    /** The value of a header; empty if it is not there. */
    Optional<String> get(String name);
  }

  /** The same request to what is below the first segment of the path. */
  Call below() {
    return new Call(method, path.subList(1, path.size()), query, headers, body);
  }

  /**
   * Checks that it has no query parameters.
   *
   * @throws RefusedException if it has
   */
  void checkNoParameters() throws RefusedException {
    QueryParameters.none(query);
  }
}
