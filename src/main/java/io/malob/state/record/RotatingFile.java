package io.malob.state.record;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines. Before it exceeds its max size it is renamed to {@code FILE.1}, the former one
 * to {@code FILE.2}, and so on; the oldest is deleted. For one thread. Not Logback's rolling
 * appender: in real Floodlight (1.2.3) that hides failed writes and renames, so lost records could
 * not be counted.
 */
final class RotatingFile implements Closeable {
  private final Path path;
  private final long maxBytes;
  private final int maxFiles;
  private @Nullable OutputStream out;
  private long bytes;

  /**
   * Names a file, which need not exist. Lines are appended to an existing one.
   *
   * @param maxBytes its max size; one line may be larger
   * @param maxFiles the number of files that are kept, including this one; at least 1
   */
  RotatingFile(Path path, long maxBytes, int maxFiles) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.maxFiles = maxFiles;
  }

  /**
   * Opens the file, so that later only a full disk can cause errors.
   *
   * @throws IOException if it cannot be written
   */
  void open() throws IOException {
    @Nullable Path directory = path.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    out =
        new BufferedOutputStream(
            Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    bytes = Files.size(path);
  }

  /** Adds a line; it may be on the disk only after {@link #flush}. */
  void add(String line) throws IOException {
    byte[] text = (line + "\n").getBytes(StandardCharsets.UTF_8);
    if (out != null && bytes > 0 && bytes + text.length > maxBytes) {
      close();
      rotate();
    }
    if (out == null) {
      open();
    }
    OutputStream now = out;
    if (now != null) {
      now.write(text);
      bytes += text.length;
    }
  }

  private void rotate() throws IOException {
    for (int number = maxFiles - 1; number > 0; number--) {
      Path from = number == 1 ? path : numbered(number - 1);
      if (Files.exists(from)) {
        Files.move(from, numbered(number), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    if (maxFiles == 1) {
      Files.delete(path);
    }
  }

  private Path numbered(int number) {
    return path.resolveSibling(path.getFileName() + "." + number);
  }

  /** Passes the added lines to the operating system. */
  void flush() throws IOException {
    OutputStream now = out;
    if (now != null) {
      now.flush();
    }
  }

  /** Closes the file; the next line opens it again. */
  @Override
  public void close() throws IOException {
    OutputStream now = out;
    out = null;
    if (now != null) {
      now.close();
    }
  }
}
