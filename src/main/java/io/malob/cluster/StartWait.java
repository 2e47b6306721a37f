package io.malob.cluster;

import io.malob.store.StoreUnavailableException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for etcd while a controller starts: after a power failure, both start together. Only the
 * thread that made this, which starts the modules, waits; calls of other threads fail at once.
 */
final class StartWait {
  private static final Logger LOG = LoggerFactory.getLogger(StartWait.class);
  private static final long PAUSE_MILLIS = 200;

  /** No wait. */
  static final StartWait NONE = new StartWait("", Duration.ZERO);

  private final Thread starter = Thread.currentThread();
  private final String servers;
  private final Duration max;
  private final long since = System.nanoTime();

  /**
   * A wait that begins now.
   *
   * @param servers etcd's, for the log
   * @param max the time until a call that gets no answer fails
   */
  StartWait(String servers, Duration max) {
    this.servers = servers;
    this.max = max;
  }

  /**
   * The answer of etcd; the call is repeated while there is none.
   *
   * @throws StoreUnavailableException if there is none in time
   */
  <T> T await(Supplier<CompletableFuture<T>> call) throws IOException {
    boolean isLate = false;
    while (true) {
      try {
        T answer = EtcdStore.await(call.get());
        if (isLate) {
          LOG.info("etcd_answers seconds={} - the start goes on", waited().toSeconds());
        }
        return answer;
      } catch (StoreUnavailableException e) {
        if (Thread.currentThread() != starter || waited().compareTo(max) >= 0) {
          throw e;
        }
        if (!isLate) {
          isLate = true;
          LOG.warn(
              "etcd_awaited etcd=\"{}\" max_seconds={} why=\"{}\" - the controller starts when etcd"
                  + " answers",
              servers,
              max.toSeconds(),
              e.getMessage());
        }
        pause();
      }
    }
  }

  private Duration waited() {
    return Duration.ofNanos(System.nanoTime() - since);
  }

  private static void pause() throws InterruptedIOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for etcd");
    }
  }
}
