package io.malob.agent;

import io.malob.state.report.ReplayGuard;
import io.malob.store.Folder;
import io.malob.store.Store;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Saves the last accepted reports over a restart, so that older ones are rejected. For one thread
 * at a time.
 */
interface KeptGuard {
  /**
   * That of a store.
   *
   * @throws IOException if it cannot be read; the message is for users
   */
  static KeptGuard of(Store store) throws IOException {
    Optional<Folder> shared = store.folder(SharedGuard.KEY);
    return shared.isPresent() ? new SharedGuard(shared.get(), store) : new StoredGuard(store);
  }

  /** The memory that was saved before, by agent. */
  Map<String, ReplayGuard.Memory> get();

  /** Reports the memory of other controllers from now on, on any thread. */
  void follow(BiConsumer<String, ReplayGuard.Memory> changed);

  /** Saves what has changed. */
  void save(Map<String, ReplayGuard.Memory> memory);

  /** Removes the memory of agents that are no longer known. */
  default void forget(Set<String> agents) {}

  /** The pause between two savings. */
  long pauseMillis();
}
