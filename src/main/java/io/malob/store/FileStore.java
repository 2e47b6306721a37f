package io.malob.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each document in a {@link DurableFile}. A document that others edit is read again when
 * {@link #poll} finds another file; documents that only the controller writes are not.
 */
public final class FileStore extends LocalStore {
  private static final String ABSENT = "absent";

  private final Function<String, Path> fileOfKey;

  /** The documents that others edit, and which files were read last. */
  private final Map<Document<?>, String> versions = new ConcurrentHashMap<>();

  /** Held open to exclude other controllers. */
  private final Map<String, FileChannel> locks = new ConcurrentHashMap<>();

  private FileStore(Function<String, Path> fileOfKey, Executor notifier) {
    super(notifier);
    this.fileOfKey = fileOfKey;
  }

  /**
   * A store with each document in {@code KEY.json} in a directory, which is created when a
   * controller first uses a document there that it may write.
   *
   * @param notifier runs the calls of listeners
   */
  public static FileStore inDirectory(Path directory, Executor notifier) {
    return new FileStore(key -> directory.resolve(key + ".json"), notifier);
  }

  /** The same for one document, which is in this file regardless of its key. */
  public static FileStore inFile(Path file, Executor notifier) {
    return new FileStore(key -> file, notifier);
  }

  private Path file(Document<?> document) {
    return fileOfKey.apply(document.key()).toAbsolutePath();
  }

  @Override
  public String where(Document<?> document) {
    return file(document).toString();
  }

  @Override
  <T> Optional<T> load(Document<T> document) throws IOException {
    Path path = file(document);
    if (document.editing().isPresent()) {
      versions.put(document, version(path));
      check(path, document.editing().get());
    } else {
      Files.createDirectories(path.resolveSibling(".").normalize());
    }
    if (document.isExclusive()) {
      lock(document.key(), path);
    }
    return new DurableFile(path).load(document.reader());
  }

  private static void check(Path path, Document.Editing editing) throws IOException {
    if (Files.notExists(path)) {
      return;
    }
    editing.check().check(path);
    if (Files.size(path) > editing.maxBytes()) {
      throw new IOException(path + " has more than " + editing.maxBytes() + " bytes");
    }
  }

  private void lock(String key, Path path) throws IOException {
    if (locks.containsKey(key)) {
      return;
    }
    FileChannel channel =
        FileChannel.open(
            path.resolveSibling(key + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    try {
      if (tryLock(channel) != null) {
        locks.put(key, channel);
        return;
      }
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new IOException(
        "another controller uses the data directory "
            + path.getParent()
            + "; stop it, or give this one a directory of its own");
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // another store of this process holds the lock
    }
  }

  @Override
  <T> void save(Document<T> document, Optional<T> next) throws IOException {
    DurableFile file = new DurableFile(file(document));
    if (next.isPresent()) {
      file.replace(document.writer().write(next.get()));
    } else {
      file.delete();
    }
  }

  /** Reads documents that others have edited; to be called regularly, by one thread at a time. */
  public void poll() {
    versions.keySet().forEach(this::poll);
  }

  private <T> void poll(Document<T> document) {
    try {
      String now = version(file(document));
      if (!now.equals(versions.put(document, now))) {
        // a file that disappears while the controller runs was removed on purpose
        changed(document, now.equals(ABSENT) ? Optional.empty() : load(document));
      }
    } catch (IOException e) {
      unreadable(document, e);
    }
  }

  /**
   * A string that identifies a version of a file, including the time of a change of its
   * permissions.
   */
  private static String version(Path path) throws IOException {
    BasicFileAttributes file;
    try {
      file = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return ABSENT;
    }
    Object changed = "";
    try {
      changed = Files.getAttribute(path, "unix:ctime");
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      // a file system without this attribute
    }
    return file.lastModifiedTime() + "/" + file.size() + "/" + file.fileKey() + "/" + changed;
  }

  @Override
  public void close() throws IOException {
    super.close();
    for (FileChannel lock : locks.values()) {
      lock.close();
    }
    locks.clear();
  }
}
