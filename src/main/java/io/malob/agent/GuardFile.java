package io.malob.agent;

import com.google.common.collect.ImmutableMap;
import io.malob.file.DurableFile;
import io.malob.state.report.GuardFormat;
import io.malob.state.report.ReplayGuard;
import java.io.IOException;
import java.nio.file.Path;
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

  private final Optional<DurableFile> file;
  private Map<String, ReplayGuard.Memory> saved = ImmutableMap.of();
  private boolean failed;

  /**
   * A file in a directory; without one nothing is kept.
   *
   * @param directory where the file is, or will be
   */
  GuardFile(Optional<Path> directory) {
    file = directory.map(in -> new DurableFile(in, "agents-heard.json"));
  }

  /**
   * What was kept.
   *
   * @throws IOException if it cannot be read; the message is for users
   */
  Map<String, ReplayGuard.Memory> load() throws IOException {
    if (file.isPresent()) {
      saved = file.get().load(GuardFormat::read).orElseGet(ImmutableMap::of);
    }
    return saved;
  }

  /** Keeps this, if it is not what is kept already. */
  void save(Map<String, ReplayGuard.Memory> memory) {
    if (file.isEmpty() || memory.equals(saved)) {
      return;
    }
    try {
      file.get().replace(GuardFormat.write(memory));
      saved = memory;
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        LOG.error(
            "heard_reports_not_written file=\"{}\" why=\"{}\"", file.get().path(), e.toString());
      }
      failed = true;
    }
  }
}
