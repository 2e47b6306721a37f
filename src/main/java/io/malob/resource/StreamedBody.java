package io.malob.resource;

import java.io.IOException;
import java.io.OutputStream;

/** A body of unknown length, which is written while its client reads it. */
public interface StreamedBody extends AutoCloseable {
  /** Its media type. */
  String mediaType();

  /**
   * Writes the whole body, on a thread of its own.
   *
   * @throws IOException if the client has disconnected
   */
  void write(OutputStream out) throws IOException;

  /** Releases what it holds, once it is written, or will not be. */
  @Override
  void close();
}
