package io.malob.resource;

import io.malob.json.RejectedException;
import java.io.IOException;

/** The body of a request, which is read only if needed. */
@FunctionalInterface
public interface RequestBody {
  /** The default max size of a body. */
  int USUAL_BYTES = 64 * 1024;

  /**
   * The whole body; empty if there is none.
   *
   * @throws RejectedException if it is too large
   */
  byte[] bytes(int maxBytes) throws IOException, RejectedException;

  /** The whole body, up to the default max size. */
  default byte[] bytes() throws IOException, RejectedException {
    return bytes(USUAL_BYTES);
  }
}
