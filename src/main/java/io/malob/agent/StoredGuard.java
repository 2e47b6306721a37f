package io.malob.agent;

import com.google.common.collect.ImmutableMap;
import io.malob.state.report.GuardFormat;
import io.malob.state.report.ReplayGuard;
import io.malob.store.Document;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Saves the last accepted reports in one document, which one controller writes. */
final class StoredGuard implements KeptGuard {
  private static final Logger LOG = LoggerFactory.getLogger(StoredGuard.class);

  private static final long PAUSE_MILLIS = 10_000;

  static final Document<Map<String, ReplayGuard.Memory>> DOCUMENT =
      Document.of("agents-heard", GuardFormat::read, GuardFormat::write);

  private final Store store;
  private Revisioned<Map<String, ReplayGuard.Memory>> stored;
  private boolean failed;

  /**
   * From a store.
   *
   * @throws IOException if it cannot be read; the message is for users
   */
  StoredGuard(Store store) throws IOException {
    this.store = store;
    stored = store.read(DOCUMENT);
  }

  @Override
  public long pauseMillis() {
    return PAUSE_MILLIS;
  }

  @Override
  public Map<String, ReplayGuard.Memory> get() {
    return stored.content().orElseGet(ImmutableMap::of);
  }

  @Override
  public void follow(BiConsumer<String, ReplayGuard.Memory> changed) {
    // no other controller writes it
  }

  @Override
  public void save(Map<String, ReplayGuard.Memory> memory) {
    if (memory.equals(get())) {
      return;
    }
    try {
      // the content of another writer is older or of its own agents: the next save replaces it
      stored = store.compareAndSet(DOCUMENT, stored, Optional.of(memory)).now();
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        LOG.error(
            "heard_reports_not_written file=\"{}\" why=\"{}\"",
            store.where(DOCUMENT),
            e.toString());
      }
      failed = true;
    }
  }
}
