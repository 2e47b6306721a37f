package io.malob.state.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a catalog in {@code catalog.json} in a directory that no other process may use meanwhile.
 * The file is always either the old one or the new one as a whole: the new one is written beside
 * it, forced to the disk, and renamed. A file that cannot be understood is kept aside.
 */
public final class FileCatalogStore implements CatalogStore {
  private static final String FILE = "catalog.json";
  private static final Logger log = LoggerFactory.getLogger(FileCatalogStore.class);
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final Path directory;
  private final Clock clock;
  private final FileChannel lockFile;

  private FileCatalogStore(Path directory, Clock clock, FileChannel lockFile) {
    this.directory = directory;
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
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      return CatalogSnapshot.empty();
    }
    try {
      return CatalogFormat.read(Files.readAllBytes(file));
    } catch (CatalogFormat.DamagedException e) {
      Path aside = directory.resolve(FILE + ".damaged-" + TIMESTAMP.format(clock.instant()));
      Files.move(file, aside);
      log.error(
          "The catalog {} is damaged ({}); it is kept as {}, and the catalog is empty now",
          file,
          e.getMessage(),
          aside);
      return CatalogSnapshot.empty();
    }
  }

  @Override
  public void save(CatalogSnapshot snapshot) throws IOException {
    Path file = directory.resolve(FILE);
    Path beside = directory.resolve(FILE + ".new");
    writeDurably(beside, CatalogFormat.write(snapshot));
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true); // the rename itself
    }
  }

  private static void writeDurably(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
  }

  /** Lets other processes use the directory. */
  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
