package io.malob.module;

import java.io.IOException;

/**
 * Another format for documents that are otherwise JSON. Found by {@link java.util.ServiceLoader},
 * because not every controller has the libraries. Safe for use by several threads.
 */
public interface TextFormat {
  /** Its media type, as in {@code application/yaml}. */
  String mediaType();

  /**
   * Converts a text to JSON.
   *
   * @throws IOException if the text is not well-formed; the message says where, and is for users
   */
  byte[] toJson(byte[] text) throws IOException;

  /** The text for maps, lists, strings, numbers and null. */
  String write(Object value);
}
