package io.malob.mptcp;

import io.malob.state.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the plan that is in place in {@code mptcp.json}, so that it outlives the controller with
 * all its labels. For one thread at a time.
 */
final class AppliedFile {
  private static final Logger LOG = LoggerFactory.getLogger(AppliedFile.class);

  private final Optional<DurableFile> file;
  private final Clock clock;

  /**
   * A file in that directory, which is made if it is not there; without one nothing is kept.
   *
   * @param clock tells the time for the names of damaged files
   */
  AppliedFile(Optional<Path> directory, Clock clock) throws IOException {
    this.clock = clock;
    if (directory.isPresent()) {
      Files.createDirectories(directory.get());
    }
    this.file = directory.map(in -> new DurableFile(in, "mptcp.json"));
  }

  /** The plan that was in place; a file that cannot be understood is kept aside. */
  Optional<Applied> load() throws IOException {
    Optional<byte[]> bytes = file.isPresent() ? file.get().read() : Optional.empty();
    if (file.isEmpty() || bytes.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(AppliedFormat.read(bytes.get()));
    } catch (IllegalArgumentException e) {
      LOG.error(
          "mptcp_plan_damaged file=\"{}\" why=\"{}\" kept_as=\"{}\" - there is none now",
          file.get().path(),
          e.getMessage(),
          file.get().setAside(clock.instant()));
      return Optional.empty();
    }
  }

  /** Keeps a plan; on return it is on the disk. */
  void save(Applied applied) throws IOException {
    if (file.isPresent()) {
      file.get().replace(AppliedFormat.write(applied));
    }
  }

  /** Forgets the plan. */
  void clear() throws IOException {
    if (file.isPresent()) {
      Files.deleteIfExists(file.get().path());
    }
  }
}
