package io.malob.controller.http;

import io.malob.controller.http.HeadCheck.Wait;
import java.util.OptionalInt;
import org.restlet.engine.adapter.HttpRequest;

/**
 * A request of which the head is known.
 *
 * @param check judges it
 */
record PendingRequest(HttpCall call, HttpRequest restletRequest, HeadCheck check) {

  /** The max size of its body; empty if the body is not to be read. */
  OptionalInt bodyLimit() {
    return check.bodyLimit(restletRequest);
  }

  /** What its handler may wait for. */
  Wait waitsFor() {
    return check.waitOf(restletRequest);
  }
}
