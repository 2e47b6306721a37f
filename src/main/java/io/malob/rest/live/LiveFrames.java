package io.malob.rest.live;

import com.google.common.hash.Hashing;

/**
 * What all listeners are shown at one moment, written once for all of them. Immutable: the bytes
 * are never changed.
 *
 * @param state what is there: switches, links, hosts and the catalog
 * @param rates the numbers that go with that state
 */
record LiveFrames(Part state, Part rates) {

  /**
   * One JSON document.
   *
   * @param tag tells it from others
   * @param json without line breaks
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared; the bytes are never changed
  record Part(String tag, byte[] json) {
    static Part of(byte[] json) {
      return new Part(Hashing.sha256().hashBytes(json).toString().substring(0, 16), json);
    }
  }
}
