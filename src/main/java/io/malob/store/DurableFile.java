package io.malob.store;

import io.malob.file.DamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state file that is replaced atomically: the new version is written beside it, forced to the
 * disk, and renamed. A copy of the last good version, NAME.last-good, protects against damage of
 * the file itself. A damaged file never counts as empty, nor a lost one as a first start. For one
 * writer at a time.
 */
final class DurableFile {
  private static final Logger LOG = LoggerFactory.getLogger(DurableFile.class);
  private static final String COPY = ".last-good";

  private final Path file;
  private final Disk disk;

  /**
   * Makes writes to a file or directory durable over a crash of the machine.
   *
   * <p>The seam for tests.
   */
  interface Disk {
    void force(Path path, FileChannel channel) throws IOException;
  }

  /** A file that may not exist yet, in an existing directory. */
  DurableFile(Path file) {
    this(file, (path, channel) -> channel.force(true));
  }

  DurableFile(Path file, Disk disk) {
    this.file = file.toAbsolutePath();
    this.disk = disk;
  }

  private Path copy() {
    return beside(COPY);
  }

  private Path beside(String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }

  /**
   * Reads the content; empty on a first start. Good content is copied.
   *
   * @throws IOException if it is damaged or lost; the message names the place and how to restore it
   */
  <T> Optional<T> load(Document.Reader<T> reader) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      checkFirstStart();
      return Optional.empty();
    }
    try {
      T content = reader.read(bytes);
      keep(bytes);
      return Optional.of(content);
    } catch (DamagedException e) {
      throw new IOException(file + " is damaged: " + e.getMessage() + "; " + advice(reader), e);
    }
  }

  /**
   * Does nothing if there never was such a file.
   *
   * @throws IOException if there was one; the message says how to restore it
   */
  private void checkFirstStart() throws IOException {
    if (Files.notExists(file) && Files.exists(copy())) {
      throw new IOException(
          String.format(
              "%1$s is missing, but existed before: \"cp -p %2$s %1$s\" restores it;"
                  + " to start without it, remove %2$s as well",
              file, copy()));
    }
  }

  private String advice(Document.Reader<?> reader) {
    try {
      reader.read(Files.readAllBytes(copy()));
      return String.format(
          "the last good version is %2$s (of %3$s): \"cp -p %2$s %1$s\" restores it",
          file,
          copy(),
          Files.getLastModifiedTime(copy()).toInstant().truncatedTo(ChronoUnit.SECONDS));
    } catch (IOException | DamagedException e) {
      return "there is no good copy of it: correct it, restore it from a backup,"
          + " or move it away to start without it";
    }
  }

  /** Replaces the content by these bytes; on return they are on the disk. */
  void replace(byte[] bytes) throws IOException {
    Path beside = beside(".new");
    writeDurably(beside, bytes);
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory();
    keep(bytes);
  }

  /** Removes the file if it exists; on return the removal is on the disk. */
  void delete() throws IOException {
    // the copy first: left alone, it would mean that the file was lost
    boolean wasThere = Files.deleteIfExists(copy());
    if (Files.deleteIfExists(file) || wasThere) {
      forceDirectory();
    }
  }

  /**
   * The file itself is already on the disk, so the copy need not be forced there, and its failure
   * must not fail the request. Only the owner may read it, because files may contain keys.
   */
  private void keep(byte[] bytes) {
    try {
      if (isKept(bytes) || !Files.isWritable(file.resolveSibling("."))) {
        return;
      }
      Path beside = beside(COPY + ".new");
      Files.deleteIfExists(beside);
      createPrivate(beside);
      Files.write(beside, bytes);
      Files.move(
          beside, copy(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.warn(
          "last_good_not_kept file=\"{}\" why=\"{}\" - the copy is outdated or missing",
          copy(),
          e.toString());
    }
  }

  private boolean isKept(byte[] bytes) throws IOException {
    return Files.exists(copy())
        && Files.size(copy()) == bytes.length
        && Arrays.equals(Files.readAllBytes(copy()), bytes);
  }

  private static void createPrivate(Path path) throws IOException {
    try {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (UnsupportedOperationException e) {
      Files.createFile(path); // a file system without such permissions
    }
  }

  private void writeDurably(Path path, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      disk.force(path, channel);
    }
  }

  /** Makes renames and removals durable. */
  private void forceDirectory() throws IOException {
    Path directory = file.resolveSibling(".").normalize();
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      disk.force(directory, names);
    }
  }
}
