package io.malob.rest;

import java.io.IOException;
import java.util.List;

/** What is below one base path. Safe for use by several threads. */
interface Resources {

  /**
   * Answers a request.
   *
   * @param path the segments of the path below the base path, decoded
   * @param query what is behind the question mark, as it was sent; empty if there is none
   */
  Reply answer(String method, List<String> path, String query, RequestBody body)
      throws IOException, RefusedException;

  /** Answers a request, with regard to its headers if there are any that matter. */
  default Reply answer(Call call) throws IOException, RefusedException {
    return answer(call.method(), call.path(), call.query(), call.body());
  }
}
