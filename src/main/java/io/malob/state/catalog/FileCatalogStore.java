package io.malob.state.catalog;

import io.malob.file.DurableFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a catalog in {@code catalog.json} in a directory that no other process may use meanwhile.
 */
public final class FileCatalogStore implements CatalogStore {
  private final DurableFile file;
  private final FileChannel lockFile;

  private FileCatalogStore(Path directory, FileChannel lockFile) {
    this.file = new DurableFile(directory, "catalog.json");
    this.lockFile = lockFile;
  }

  /**
   * Opens the store in that directory, and makes the directory if it is not there.
   *
   * @throws IOException if the directory cannot be used, or another process uses it
   */
  public static FileCatalogStore open(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path path = directory.resolve("catalog.lock");
    FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (tryLock(channel) != null) {
        return new FileCatalogStore(directory, channel);
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
    return file.load(CatalogFormat::read).orElseGet(CatalogSnapshot::empty);
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
