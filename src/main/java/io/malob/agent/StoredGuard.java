package io.malob.agent;

import com.google.common.collect.ImmutableMap;
import io.malob.state.report.GuardFormat;
import io.malob.state.report.ReplayGuard.Memory;
import io.malob.store.Document;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.Swap;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the last accepted reports over a restart, so that older ones are rejected: in one document
 * for all agents, which the controllers of a cluster share. Each writes the latest that it knows,
 * and learns those of the others. Thread-safe.
 */
final class StoredGuard {
  /** The pause between two savings. */
  static final long PAUSE_MILLIS = 5_000;

  static final Document<Map<String, Memory>> DOCUMENT =
      Document.of("agents-heard", GuardFormat::read, GuardFormat::write);

  private static final Logger LOG = LoggerFactory.getLogger(StoredGuard.class);

  /** Another controller may save between reading and writing, hardly more often. */
  private static final int MAX_ATTEMPTS = 4;

  private final Store store;
  private final Revisioned<Map<String, Memory>> first;
  private volatile Revisioned<Map<String, Memory>> stored;
  private boolean failed;

  /**
   * From a store.
   *
   * @throws IOException if it cannot be read; the message is for users
   */
  StoredGuard(Store store) throws IOException {
    this.store = store;
    first = store.read(DOCUMENT);
    stored = first;
  }

  /** The memory that was saved before, by agent. */
  Map<String, Memory> get() {
    return content(first);
  }

  private static Map<String, Memory> content(Revisioned<Map<String, Memory>> of) {
    return of.content().orElseGet(ImmutableMap::of);
  }

  /** Reports each memory that a controller saves, also this one, on any thread. */
  void follow(BiConsumer<String, Memory> changed) {
    // not what is stored: an attempt to save learns that without a report
    AtomicReference<Map<String, Memory>> reported = new AtomicReference<>(content(first));
    Store.Watch unused =
        store.watch(
            DOCUMENT,
            first,
            Store.Listener.of(
                now -> {
                  learnt(now);
                  Map<String, Memory> before = reported.getAndSet(content(now));
                  content(now)
                      .forEach(
                          (agent, memory) -> {
                            if (!memory.equals(before.get(agent))) {
                              changed.accept(agent, memory);
                            }
                          });
                },
                why -> LOG.error("heard_reports_not_read why=\"{}\"", why.getMessage())));
  }

  private synchronized void learnt(Revisioned<Map<String, Memory>> now) {
    if (now.revision() > stored.revision()) {
      stored = now;
    }
  }

  /** Saves what has changed; agents without a memory here are no longer known. */
  void save(Map<String, Memory> memory) {
    try {
      for (int attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        Revisioned<Map<String, Memory>> before = stored;
        Map<String, Memory> next = latest(memory, content(before));
        if (next.equals(content(before))) {
          return;
        }
        Swap<Map<String, Memory>> swap = store.compareAndSet(DOCUMENT, before, Optional.of(next));
        learnt(swap.now());
        if (swap.isDone()) {
          failed = false;
          return;
        }
      }
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

  /** For each agent, its memory here or there, whichever is of a later report. */
  private static ImmutableMap<String, Memory> latest(
      Map<String, Memory> here, Map<String, Memory> there) {
    ImmutableMap.Builder<String, Memory> latest = ImmutableMap.builder();
    here.forEach(
        (agent, memory) -> {
          @Nullable Memory other = there.get(agent);
          latest.put(agent, other != null && other.isLaterThan(memory) ? other : memory);
        });
    return latest.build();
  }
}
