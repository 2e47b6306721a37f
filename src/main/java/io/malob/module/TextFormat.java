package io.malob.module;

import java.io.IOException;

/**
 * Another way to write what is JSON everywhere else. Found by {@link java.util.ServiceLoader},
 * because not every controller has the libraries. Safe for use by several threads.
 */
public interface TextFormat {
  /** Its media type, as in {@code application/yaml}. */
  String mediaType();

  /**
   * The JSON that says the same as a text.
   *
   * @throws IOException if the text is not well-formed; the message says where, and is for users
   */
  byte[] toJson(byte[] text) throws IOException;

  /** The text for maps, lists, texts, numbers and null. */
  String write(Object value);
}
