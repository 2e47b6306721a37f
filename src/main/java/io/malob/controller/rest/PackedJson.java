package io.malob.controller.rest;

import com.google.common.io.CountingOutputStream;
import io.malob.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A JSON document, compressed: statistics of switches are long and repetitive, and clients may read
 * them slowly. Immutable.
 */
final class PackedJson {
  private final byte[] packed;
  private final long length;

  private PackedJson(byte[] packed, long length) {
    this.packed = packed;
    this.length = length;
  }

  /** The document for this value: a map, a list, an iterable. */
  static PackedJson of(Object value) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (CountingOutputStream plain = new CountingOutputStream(new GZIPOutputStream(packed))) {
      Json.write(plain, value);
      return new PackedJson(finished(plain, packed), plain.getCount());
    }
  }

  private static byte[] finished(OutputStream plain, ByteArrayOutputStream packed)
      throws IOException {
    plain.close();
    return packed.toByteArray();
  }

  /** How many bytes the document has. */
  long length() {
    return length;
  }

  /** How many bytes it takes in memory. */
  int packedLength() {
    return packed.length;
  }

  /** Writes the document. */
  void writeTo(OutputStream out) throws IOException {
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      in.transferTo(out);
    }
  }
}
