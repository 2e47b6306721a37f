package io.malob.rest.page;

import com.google.common.hash.Hashing;
import com.google.common.io.ByteStreams;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A file of the page, from the class path. Immutable: the bytes are never changed.
 *
 * @param tag identifies its content
 * @param bytes its content
 * @param gzipped the same, compressed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; the bytes are never changed
record PageFile(String type, String tag, byte[] bytes, byte[] gzipped) {
  /**
   * The folder of the files; no other file can be read, because names neither begin nor end with a
   * dot.
   */
  private static final String FOLDER = "/web/";

  private static final Pattern NAME = Pattern.compile("([a-z0-9_-]+/){0,3}[a-z0-9_-]+(\\.[a-z]+)+");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html",
          "css", "text/css",
          "js", "text/javascript",
          "mjs", "text/javascript",
          "svg", "image/svg+xml",
          "txt", "text/plain");

  /** The file of that name; empty if there is none. */
  static Optional<PageFile> read(String name) {
    @Nullable String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    try (InputStream in = PageFile.class.getResourceAsStream(FOLDER + name)) {
      return in == null ? Optional.empty() : Optional.of(of(type, ByteStreams.toByteArray(in)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static PageFile of(String type, byte[] bytes) throws IOException {
    ByteArrayOutputStream gzipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(gzipped)) {
      out.write(bytes);
    }
    String tag = Hashing.sha256().hashBytes(bytes).toString().substring(0, 16);
    return new PageFile(type, tag, bytes, gzipped.toByteArray());
  }
}
