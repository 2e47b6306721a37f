package io.malob.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The output directory of a benchmark: the given one, or a temporary one. */
final class Workspace implements AutoCloseable {
  private final Path directory;
  private final boolean isTemporary;

  private Workspace(Path directory, boolean isTemporary) {
    this.directory = directory;
    this.isTemporary = isTemporary;
  }

  static Workspace open(@Nullable Path wanted) throws IOException {
    return wanted == null
        ? new Workspace(Files.createTempDirectory("malob-bench"), true)
        : new Workspace(Files.createDirectories(wanted), false);
  }

  Path directory() {
    return directory;
  }

  /** A new directory for the data of the measured process; removed in any case. */
  Path data() throws IOException {
    return Files.createTempDirectory(directory, "data");
  }

  static void delete(Path root) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(root)) {
      all = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.deleteIfExists(each);
    }
  }

  @Override
  public void close() throws IOException {
    if (isTemporary) {
      delete(directory);
    }
  }
}
