package io.malob.state.catalog;

import io.malob.state.DurableFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a catalog in {@code catalog.json} in a directory that no other process may use meanwhile. A
 * file that cannot be understood is kept aside.
 */
public final class FileCatalogStore implements CatalogStore {
  private static final Logger log = LoggerFactory.getLogger(FileCatalogStore.class);

  private final DurableFile file;
  private final Clock clock;
  private final FileChannel lockFile;

  private FileCatalogStore(Path directory, Clock clock, FileChannel lockFile) {
    this.file = new DurableFile(directory, "catalog.json");
    this.clock = clock;
    this.lockFile = lockFile;
  }

  /**
   * Opens the store in that directory, and makes the directory if it is not there.
   *
   * @param clock tells the time for the names of damaged files
   * @throws IOException if the directory cannot be used, or another process uses it
   */
  public static FileCatalogStore open(Path directory, Clock clock) throws IOException {
    Files.createDirectories(directory);
    Path path = directory.resolve("catalog.lock");
    FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (tryLock(channel) != null) {
        return new FileCatalogStore(directory, clock, channel);
      }
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new IOException(
        "another controller uses the data directory "
            + directory.toAbsolutePath()
            + "; stop it, or give this one a directory of its own");
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // another store of this process has it
    }
  }

  @Override
  public CatalogSnapshot load() throws IOException {
    Optional<byte[]> bytes = file.read();
    if (bytes.isEmpty()) {
      return CatalogSnapshot.empty();
    }
    try {
      return CatalogFormat.read(bytes.get());
    } catch (CatalogFormat.DamagedException e) {
      log.error(
          "catalog_damaged file=\"{}\" why=\"{}\" kept_as=\"{}\" - it is empty now",
          file.path(),
          e.getMessage(),
          file.setAside(clock.instant()));
      return CatalogSnapshot.empty();
    }
  }

  @Override
  public void save(CatalogSnapshot snapshot) throws IOException {
    file.replace(CatalogFormat.write(snapshot));
  }

  /** Lets other processes use the directory. */
  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
