package io.malob.store;

import java.util.Optional;
import java.util.concurrent.Executor;

/** A store in memory, which ends with the process. */
public final class MemoryStore extends LocalStore {
  /**
   * A store without documents.
   *
   * @param notifier runs the calls of listeners
   */
  public MemoryStore(Executor notifier) {
    super(notifier);
  }

  @Override
  <T> Optional<T> load(Document<T> document) {
    return Optional.empty();
  }

  @Override
  <T> void save(Document<T> document, Optional<T> next) {}

  @Override
  public String where(Document<?> document) {
    return "memory";
  }
}
