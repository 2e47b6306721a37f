package io.malob.agent;

import com.google.common.collect.ImmutableMap;
import io.malob.state.report.GuardFormat;
import io.malob.state.report.ReplayGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps over a restart which reports have been accepted, so that no older one is. For one thread at
 * a time.
 */
final class GuardFile {
  private static final Logger LOG = LoggerFactory.getLogger(GuardFile.class);

  private final Optional<Path> path;
  private Map<String, ReplayGuard.Memory> saved = ImmutableMap.of();
  private boolean failed;

  /**
   * A file in a directory; without one nothing is kept.
   *
   * @param directory where the file is, or will be
   */
  GuardFile(Optional<Path> directory) {
    path = directory.map(in -> in.resolve("agents-heard.json"));
  }

  /** What was kept; nothing if there is nothing that can be read. */
  Map<String, ReplayGuard.Memory> load() {
    if (path.isEmpty()) {
      return saved;
    }
    try {
      saved = GuardFormat.read(Files.readAllBytes(path.get()));
    } catch (NoSuchFileException e) {
      // the first start
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn(
          "{} cannot be read ({}): each agent's next report counts, however old it is",
          path.get(),
          e.getMessage());
    }
    return saved;
  }

  /** Keeps this, if it is not what is kept already. */
  void save(Map<String, ReplayGuard.Memory> memory) {
    if (path.isEmpty() || memory.equals(saved)) {
      return;
    }
    try {
      Path beside = path.get().resolveSibling(path.get().getFileName() + ".new");
      Files.write(beside, GuardFormat.write(memory));
      Files.move(
          beside, path.get(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      saved = memory;
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        LOG.error("{} cannot be written: {}", path.get(), e.toString());
      }
      failed = true;
    }
  }
}
