package io.malob.rest;

import java.io.IOException;

/** The body of a request, which is read only if the request turns out to need it. */
@FunctionalInterface
interface RequestBody {
  /** The largest body that is read where there is no other limit. */
  int USUAL_BYTES = 64 * 1024;

  /**
   * The whole body; empty if there is none.
   *
   * @throws RefusedException if it is too large
   */
  byte[] bytes(int mostBytes) throws IOException, RefusedException;

  /** The whole body, of the size that is usual. */
  default byte[] bytes() throws IOException, RefusedException {
    return bytes(USUAL_BYTES);
  }
}
