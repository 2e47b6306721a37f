package io.malob.agent;

import io.malob.state.report.AgentTable;
import io.malob.state.report.AgentTableFormat;
import io.malob.store.Document;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agents and their keys, which people and commands edit while the controller runs. An
 * unreadable document is logged, and the last readable table stays; without the document no agent
 * may report. Thread-safe.
 */
final class StoredAgents implements Supplier<AgentTable> {
  private static final Logger LOG = LoggerFactory.getLogger(StoredAgents.class);
  private static final long MAX_BYTES = 8L * 1024 * 1024;

  private static final Document<AgentTable> DOCUMENT =
      Document.edited(
          "agents", AgentTableFormat::read, MAX_BYTES, StoredAgents::warnIfOthersCanRead);

  private final Store store;
  private volatile Revisioned<AgentTable> stored;

  /**
   * The agents of a store.
   *
   * @throws IOException if they cannot be read; the message is for users
   */
  StoredAgents(Store store) throws IOException {
    this.store = store;
    stored = store.read(DOCUMENT);
    logTable(stored);
  }

  @Override
  public AgentTable get() {
    return stored.content().orElse(AgentTable.EMPTY);
  }

  /**
   * Follows changes from now on.
   *
   * @param changed is given the table as it was before, when there is another one
   */
  void follow(Consumer<AgentTable> changed) {
    Store.Watch unused =
        store.watch(
            DOCUMENT,
            stored,
            Store.Listener.of(
                now -> {
                  AgentTable before = get();
                  stored = now;
                  logTable(now);
                  changed.accept(before);
                },
                why ->
                    LOG.error(
                        "agents_not_read file=\"{}\" why=\"{}\" - the earlier agents stay in effect",
                        store.where(DOCUMENT),
                        why.getMessage())));
  }

  private static void logTable(Revisioned<AgentTable> now) {
    now.content()
        .ifPresent(
            table ->
                LOG.info(
                    "agents_read count={} unsigned_allowed={}",
                    table.byId().size(),
                    table.allowUnsigned()));
  }

  private static void warnIfOthersCanRead(Path path) throws IOException {
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
      if (permissions.contains(PosixFilePermission.OTHERS_READ)
          || permissions.contains(PosixFilePermission.GROUP_READ)) {
        LOG.warn(
            "agents_file_exposed file=\"{}\" - other users can read its keys; run chmod 600 on it",
            path);
      }
    } catch (UnsupportedOperationException e) {
      // a file system without such permissions
    }
  }
}
