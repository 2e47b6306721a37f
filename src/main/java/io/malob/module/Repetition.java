package io.malob.module;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Periodic work of a module until the controller stops. A failure is logged and the work is
 * retried: without this class, an exception would end the repetition.
 *
 * @param tasks what runs the work
 */
public record Repetition(ScheduledExecutorService timer, Tasks tasks) {
  /** Repetitions on that timer, which count their failures for themselves. */
  public Repetition(ScheduledExecutorService timer) {
    this(timer, new Tasks(System::nanoTime));
  }

  /** Runs a task periodically, with the given pause in milliseconds after each run. */
  public void every(long millis, String name, Runnable work) {
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(
            () -> tasks.run(name, work), millis, millis, TimeUnit.MILLISECONDS);
  }

  /** The same on another executor, such as a module's serial executor. */
  public void every(long millis, String name, Executor executor, Runnable work) {
    every(millis, name, () -> executor.execute(() -> tasks.run(name, work)));
  }

  /**
   * The same with varying pauses.
   *
   * @param millis the pause, called after each run, and at the start
   */
  public void after(LongSupplier millis, String name, Runnable work) {
    after(millis.getAsLong(), millis, name, work);
  }

  /** The same on another executor. */
  public void after(LongSupplier millis, String name, Executor executor, Runnable work) {
    after(millis, name, () -> executor.execute(() -> tasks.run(name, work)));
  }

  private void after(long pause, LongSupplier millis, String name, Runnable work) {
    Runnable turn =
        () -> {
          tasks.run(name, work);
          long[] next = {pause};
          tasks.run(name, () -> next[0] = millis.getAsLong());
          after(next[0], millis, name, work);
        };
    try {
      ScheduledFuture<?> unused = timer.schedule(turn, pause, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // the controller ends
    }
  }
}
