package io.malob.mptcp;

import io.malob.file.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Keeps the plan that is in place in {@code mptcp.json}, so that it outlives the controller with
 * all its labels. For one thread at a time.
 */
final class AppliedFile {
  private final Optional<DurableFile> file;

  /**
   * A file in that directory, which is made if it is not there; without one nothing is kept.
   *
   * @throws IOException if the directory cannot be used
   */
  AppliedFile(Optional<Path> directory) throws IOException {
    if (directory.isPresent()) {
      Files.createDirectories(directory.get());
    }
    this.file = directory.map(in -> new DurableFile(in, "mptcp.json"));
  }

  /**
   * The plan that was in place.
   *
   * @throws IOException if it cannot be read; the message is for users
   */
  Optional<Applied> load() throws IOException {
    return file.isPresent() ? file.get().load(AppliedFormat::read) : Optional.empty();
  }

  /** Keeps a plan; on return it is on the disk. */
  void save(Applied applied) throws IOException {
    if (file.isPresent()) {
      file.get().replace(AppliedFormat.write(applied));
    }
  }

  /** Forgets the plan; on return that is on the disk. */
  void clear() throws IOException {
    if (file.isPresent()) {
      file.get().delete();
    }
  }
}
