package io.malob.resource;

import io.malob.json.RejectedException;
import java.io.IOException;

/** The body of a request, which is read only if the request turns out to need it. */
@FunctionalInterface
public interface RequestBody {
  /** The largest body that is read where there is no other limit. */
  int USUAL_BYTES = 64 * 1024;

  /**
   * The whole body; empty if there is none.
   *
   * @throws RejectedException if it is too large
   */
  byte[] bytes(int maxBytes) throws IOException, RejectedException;

  /** The whole body, of the size that is usual. */
  default byte[] bytes() throws IOException, RejectedException {
    return bytes(USUAL_BYTES);
  }
}
