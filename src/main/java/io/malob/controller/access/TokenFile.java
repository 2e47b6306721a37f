package io.malob.controller.access;

import io.malob.file.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of tokens, looked at again when a second has passed. What cannot be read is reported,
 * and the tokens stay as they were. Once there was a file, tokens are wanted until the controller
 * ends, also when it has gone: nobody is let in by deleting it. Safe for use by several threads.
 */
public final class TokenFile {
  private static final Logger logger = LoggerFactory.getLogger(TokenFile.class);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_BYTES = 1024 * 1024;

  private final Path path;
  private final DurableFile file;
  private final LongSupplier nanoTime;
  private Tokens tokens = Tokens.NONE;
  private boolean isWanted;
  private @Nullable Object version;
  private long lookedNanos;

  /**
   * The tokens of a file, which need not be there yet.
   *
   * @param isWanted whether tokens are wanted even if there is no file
   * @throws IOException if there is a file that cannot be used, or was one; the message says why
   */
  public TokenFile(Path path, boolean isWanted, LongSupplier nanoTime) throws IOException {
    this.path = path;
    this.file = new DurableFile(path);
    this.isWanted = isWanted;
    this.nanoTime = nanoTime;
    lookedNanos = nanoTime.getAsLong();
    load();
    if (version == null) {
      file.checkFirstStart();
    }
  }

  /** Whether requests need a token. */
  public synchronized boolean isWanted() {
    refresh();
    return isWanted;
  }

  /** Whose token this is; empty if it is nobody's. */
  public Optional<Caller> callerOf(String token) {
    Tokens now;
    synchronized (this) {
      refresh();
      now = tokens;
    }
    return now.callerOf(token);
  }

  private void refresh() {
    long now = nanoTime.getAsLong();
    if (now - lookedNanos < LOOK_NANOS) {
      return;
    }
    lookedNanos = now;
    try {
      load();
    } catch (IOException e) {
      logger.error(
          "tokens_not_read file=\"{}\" why=\"{}\" - they stay as they were", path, e.getMessage());
    }
  }

  private void load() throws IOException {
    try {
      Object now = versionOf();
      if (!now.equals(version)) {
        version = now;
        isWanted = true;
        read();
      }
    } catch (NoSuchFileException e) {
      version = null;
      tokens = Tokens.NONE;
    }
  }

  private void read() throws IOException {
    PrivateFile.check(path);
    if (Files.size(path) > MOST_BYTES) {
      throw new IOException(path + " has more than " + MOST_BYTES + " bytes");
    }
    tokens = file.load(TokensFormat::read).orElse(Tokens.NONE);
    logger.info("tokens_read count={}", tokens.entries().size());
  }

  /** With the time of a change of permissions, so that chmod is noticed. */
  private Object versionOf() throws IOException {
    BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
    Object changed = "";
    try {
      changed = Files.getAttribute(path, "unix:ctime");
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      // a file system without it
    }
    return file.lastModifiedTime() + "/" + file.size() + "/" + file.fileKey() + "/" + changed;
  }
}
