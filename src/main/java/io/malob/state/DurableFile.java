package io.malob.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * A file that is always either the old one or the new one as a whole: the new one is written beside
 * it, forced to the disk, and renamed. For one writer at a time.
 *
 * @param directory where it is; must be there
 * @param name what it is called there
 */
public record DurableFile(Path directory, String name) {
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** Where it is. */
  public Path path() {
    return directory.resolve(name);
  }

  /** What is in it; empty if there is no such file. */
  public Optional<byte[]> read() throws IOException {
    return Files.exists(path()) ? Optional.of(Files.readAllBytes(path())) : Optional.empty();
  }

  /** Puts these bytes in the place of what is there; on return they are on the disk. */
  public void replace(byte[] bytes) throws IOException {
    Path beside = directory.resolve(name + ".new");
    writeDurably(beside, bytes);
    Files.move(beside, path(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true); // the rename itself
    }
  }

  /** Keeps a file that cannot be understood under another name, which is given back. */
  public Path setAside(Instant now) throws IOException {
    Path aside = directory.resolve(name + ".damaged-" + TIMESTAMP.format(now));
    return Files.move(path(), aside);
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
}
