package io.malob.cluster;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;

/**
 * A document as a value of etcd. A small one is there as it is, so that etcdctl can show and write
 * it. A large one is compressed (gzip, Base64, after a mark that no JSON begins with): etcd limits
 * a request to 1.5 MB. Equal documents have equal values. Pure.
 */
final class DocumentText {
  /** The size from which documents are compressed. */
  static final int PLAIN_BYTES = 128 * 1024;

  /** A bound for damaged values; a full catalog has a third of it. */
  static final int MAX_BYTES = 64 * 1024 * 1024;

  private static final String MARK = "gzip:";

  private DocumentText() {}

  /** The value of a document. */
  static String of(byte[] document) throws IOException {
    if (document.length < PLAIN_BYTES) {
      return new String(document, StandardCharsets.UTF_8);
    }
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(document);
    }
    return MARK + Base64.getEncoder().encodeToString(compressed.toByteArray());
  }

  /**
   * The document of a value.
   *
   * @throws ZipException if it begins like a compressed one, and is none
   */
  static byte[] bytes(String value) throws IOException {
    if (!value.startsWith(MARK)) {
      return value.getBytes(StandardCharsets.UTF_8);
    }
    try (InputStream in =
        new GZIPInputStream(
            new ByteArrayInputStream(Base64.getDecoder().decode(value.substring(MARK.length()))))) {
      byte[] document = in.readNBytes(MAX_BYTES + 1);
      if (document.length > MAX_BYTES) {
        throw new ZipException("more than " + MAX_BYTES + " bytes");
      }
      return document;
    } catch (IOException | IllegalArgumentException e) {
      throw new ZipException("not compressed as its beginning says: " + e.getMessage());
    }
  }
}
