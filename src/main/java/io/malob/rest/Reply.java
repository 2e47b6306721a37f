package io.malob.rest;

import java.util.Set;

/**
 * An answer to a request.
 *
 * @param status the HTTP status
 * @param body maps, lists, texts, numbers and truth values, to be sent as JSON; or a picture
 * @param allowed the methods that are possible, if the one asked for is not
 */
record Reply(int status, Object body, Set<String> allowed) {

  /** The answer to what went well. */
  static Reply ok(Object body) {
    return new Reply(200, body, Set.of());
  }

  /** A picture. */
  static Reply svg(String document) {
    return new Reply(200, new Picture(document), Set.of());
  }

  /** What is not sent as JSON, but as it is. */
  record Picture(String svg) {}

  /** The answer to what went well, where there is nothing to say. */
  static Reply nothing() {
    return new Reply(204, "", Set.of());
  }

  /** The answer to what made something new. */
  static Reply created(Object body) {
    return new Reply(201, body, Set.of());
  }
}
