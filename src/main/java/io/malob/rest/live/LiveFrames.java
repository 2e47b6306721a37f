package io.malob.rest.live;

import com.google.common.hash.Hashing;

/**
 * The content for all listeners at one moment, serialized once for all of them. Immutable: the
 * bytes are never changed.
 *
 * @param state switches, links, hosts and the catalog
 * @param rates the numbers that go with that state
 */
record LiveFrames(Part state, Part rates) {

  /**
   * One JSON document.
   *
   * @param tag identifies its content
   * @param json without line breaks
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared; the bytes are never changed
  record Part(String tag, byte[] json) {
    static Part of(byte[] json) {
      return new Part(Hashing.sha256().hashBytes(json).toString().substring(0, 16), json);
    }
  }
}
