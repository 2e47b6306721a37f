package io.malob.rest;

import java.io.IOException;
import java.util.List;

/** What is below one base path. Safe for use by several threads. */
interface Resources {

  /**
   * Answers a request.
   *
   * @param path the segments of the path below the base path, decoded
   */
  Reply answer(String method, List<String> path, RequestBody body)
      throws IOException, RefusedException;
}
