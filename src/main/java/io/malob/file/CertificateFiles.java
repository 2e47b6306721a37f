package io.malob.file;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificates, perhaps with a key, as their {@link SettledFiles files} are now. If changed files
 * cannot be used, that is logged once, and the earlier content stays in use. Safe for use by
 * several threads.
 *
 * @param <T> what the files are read into
 */
public final class CertificateFiles<T> {
  private static final Logger logger = LoggerFactory.getLogger(CertificateFiles.class);

  /**
   * Reads the files.
   *
   * @param <T> what they are read into
   */
  public interface Reader<T> {
    /** Their content; the message of an exception is for users. */
    T read() throws IOException;
  }

  private final Path file;
  private final SettledFiles watched;
  private final Reader<T> reader;
  private volatile T content;

  /**
   * Reads the files, the first of which stands for all in the log.
   *
   * @param nanoTime counts nanoseconds
   * @throws IOException if they cannot be used
   */
  public CertificateFiles(ImmutableList<Path> files, Reader<T> reader, LongSupplier nanoTime)
      throws IOException {
    file = files.get(0);
    watched = new SettledFiles(files, nanoTime);
    this.reader = reader;
    content = reader.read();
  }

  /** The content, read again if the files have changed. */
  public T get() {
    if (watched.haveChanged()) {
      try {
        content = reader.read();
        logger.info("certificate_read file=\"{}\"", file);
      } catch (IOException e) {
        logger.error(
            "certificate_not_read file=\"{}\" why=\"{}\" - the earlier one stays in use",
            file,
            e.getMessage());
      }
    }
    return content;
  }
}
