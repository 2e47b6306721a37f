package io.malob.agent;

import io.malob.file.DurableFile;
import io.malob.state.report.AgentTable;
import io.malob.state.report.AgentTableFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of agents and their keys, read again when it has changed. What cannot be read is
 * reported, and the last table that could stays; without the file nobody may report. One thread
 * reads at a time; any may {@link #get}.
 */
final class AgentFile implements Supplier<AgentTable> {
  private static final Logger LOG = LoggerFactory.getLogger(AgentFile.class);
  private static final long MOST_BYTES = 8L * 1024 * 1024;

  private final Path path;
  private final DurableFile file;
  private volatile AgentTable table = AgentTable.EMPTY;
  private @Nullable Object version;

  AgentFile(Path path) {
    this.path = path;
    this.file = new DurableFile(path);
  }

  @Override
  public AgentTable get() {
    return table;
  }

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be read, or is missing though there was one; for users
   */
  void open() throws IOException {
    try {
      version = versionOf(path);
      read();
    } catch (NoSuchFileException e) {
      file.checkFirstStart();
    }
  }

  /** Reads the file if it is not the one that was read last; whether the table is another now. */
  boolean refresh() {
    try {
      Object now = versionOf(path);
      if (now.equals(version)) {
        return false;
      }
      version = now;
      read();
      return true;
    } catch (NoSuchFileException e) {
      boolean wasThere = version != null;
      version = null;
      table = AgentTable.EMPTY;
      return wasThere;
    } catch (IOException e) {
      LOG.error(
          "agents_not_read file=\"{}\" why=\"{}\" - they stay as they were", path, e.getMessage());
      return false;
    }
  }

  private static Object versionOf(Path path) throws IOException {
    BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
    return file.lastModifiedTime() + "/" + file.size() + "/" + file.fileKey();
  }

  private void read() throws IOException {
    if (Files.size(path) > MOST_BYTES) {
      throw new IOException(path + " has more than " + MOST_BYTES + " bytes");
    }
    table = file.load(AgentTableFormat::read).orElse(AgentTable.EMPTY);
    LOG.info(
        "agents_read count={} unsigned_allowed={}", table.byId().size(), table.allowUnsigned());
    warnIfOthersCanRead();
  }

  private void warnIfOthersCanRead() throws IOException {
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
      if (permissions.contains(PosixFilePermission.OTHERS_READ)
          || permissions.contains(PosixFilePermission.GROUP_READ)) {
        LOG.warn(
            "agents_file_exposed file=\"{}\" - other users can read its keys: chmod 600 ends that",
            path);
      }
    } catch (UnsupportedOperationException e) {
      // a file system without such permissions
    }
  }
}
