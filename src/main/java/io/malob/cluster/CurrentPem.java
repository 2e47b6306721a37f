package io.malob.cluster;

import com.google.common.collect.ImmutableList;
import io.malob.file.SettledFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What PEM files have now. If changed files cannot be used, that is reported once, and the earlier
 * content stays in use. Safe for use by several threads.
 */
final class CurrentPem<T> {
  private static final Logger logger = LoggerFactory.getLogger(CurrentPem.class);

  /** Reads the files. */
  interface Reader<T> {
    /** Their content. */
    T read() throws IOException, GeneralSecurityException;
  }

  private final Path file;
  private final SettledFiles watched;
  private final Reader<T> reader;
  private volatile T content;

  /**
   * Reads the files, the first of which stands for all in the log.
   *
   * @param nanoTime counts nanoseconds
   */
  CurrentPem(ImmutableList<Path> files, Reader<T> reader, LongSupplier nanoTime)
      throws IOException, GeneralSecurityException {
    file = files.get(0);
    watched = new SettledFiles(files, nanoTime);
    this.reader = reader;
    content = reader.read();
  }

  T get() {
    if (watched.haveChanged()) {
      try {
        content = reader.read();
        logger.info("certificate_read file=\"{}\"", file);
      } catch (IOException | GeneralSecurityException e) {
        logger.error(
            "certificate_not_read file=\"{}\" why=\"{}\" - the earlier one stays in use",
            file,
            e.getMessage());
      }
    }
    return content;
  }
}
