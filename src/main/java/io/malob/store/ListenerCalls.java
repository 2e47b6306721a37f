package io.malob.store;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of one listener for a document, on an executor, until they are stopped. Thread-safe.
 */
public final class ListenerCalls<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerCalls.class);

  private final String key;
  private final Store.Listener<T> listener;
  private final Executor serialExecutor;
  private volatile boolean isStopped;

  /**
   * None yet.
   *
   * @param key that of the document
   * @param serialExecutor runs one call after the other
   */
  public ListenerCalls(String key, Store.Listener<T> listener, Executor serialExecutor) {
    this.key = key;
    this.listener = listener;
    this.serialExecutor = serialExecutor;
  }

  /** Makes a call later, unless they are stopped by then. */
  public void make(Consumer<Store.Listener<T>> call) {
    try {
      serialExecutor.execute(
          () -> {
            if (!isStopped) {
              run(call);
            }
          });
    } catch (RejectedExecutionException e) {
      // the controller ends
    }
  }

  private void run(Consumer<Store.Listener<T>> call) {
    try {
      call.accept(listener);
    } catch (RuntimeException e) {
      LOG.error("store_listener_failed key={}", key, e);
    }
  }

  /** Stops them: a running call completes. */
  public void stop() {
    isStopped = true;
  }
}
