package io.malob.resource;

import io.malob.json.RejectedException;
import java.io.IOException;

/** Answers requests. Safe for use by several threads. */
@FunctionalInterface
public interface Resource {

  /**
   * The answer to a request.
   *
   * @throws RejectedException if it is an error
   * @throws IOException if the request could not be read
   */
  Reply answer(Call call) throws IOException, RejectedException;
}
