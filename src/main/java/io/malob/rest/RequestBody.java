package io.malob.rest;

import java.io.IOException;

/** The body of a request, which is read only if the request turns out to need it. */
@FunctionalInterface
interface RequestBody {
  /**
   * The whole body; empty if there is none.
   *
   * @throws RefusedException if it is too large
   */
  byte[] bytes() throws IOException, RefusedException;
}
