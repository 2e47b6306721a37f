package io.malob.controller.core;

import com.google.common.collect.Lists;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import net.floodlightcontroller.core.IShutdownListener;
import net.floodlightcontroller.core.IShutdownService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The request to stop, and its listeners. It stops nothing itself: the controller waits for {@link
 * #requested}, so that the process ends at one place. Safe for use by several threads.
 */
final class Shutdown implements IShutdownService {
  private static final Logger logger = LoggerFactory.getLogger(Shutdown.class);

  private final CompletableFuture<Integer> requested = new CompletableFuture<>();
  private final List<IShutdownListener> listeners = new CopyOnWriteArrayList<>();

  /** Completed with the exit status at the first request to stop. */
  CompletableFuture<Integer> requested() {
    return requested;
  }

  @Override
  public void terminate(String reason, int status) {
    if (requested.complete(status)) {
      logger.info("stopping why=\"{}\"", reason);
    }
  }

  @Override
  public void registerShutdownListener(IShutdownListener listener) {
    listeners.add(listener);
  }

  /** Notifies the listeners, the latest first. */
  void notifyListeners() {
    for (IShutdownListener listener : Lists.reverse(List.copyOf(listeners))) {
      try {
        listener.floodlightIsShuttingDown();
      } catch (RuntimeException e) {
        logger.warn("shutdown_listener_failed listener={}", listener.getClass().getName(), e);
      }
    }
  }
}
