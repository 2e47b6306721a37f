package io.malob.module;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that a module does again and again until the controller ends. What fails once is logged and
 * tried again: by itself, an exception would end the repetition for good.
 *
 * @param timer where the work is done
 */
public record Repetition(ScheduledExecutorService timer) {
  private static final Logger LOG = LoggerFactory.getLogger(Repetition.class);

  /** Does some work each time that so many milliseconds have passed since it was done last. */
  public void every(long millis, String name, Runnable work) {
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(
            () -> attempt(name, work), millis, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * The same with pauses that differ.
   *
   * @param millis asked for each time that the work has been done; at once, to begin with
   */
  public void after(LongSupplier millis, String name, Runnable work) {
    Runnable turn =
        () -> {
          attempt(name, work);
          after(millis, name, work);
        };
    try {
      ScheduledFuture<?> unused = timer.schedule(turn, millis.getAsLong(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // the controller ends
    }
  }

  private static void attempt(String name, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      LOG.error("task_failed task=\"{}\" - it is tried again", name, e);
    }
  }
}
