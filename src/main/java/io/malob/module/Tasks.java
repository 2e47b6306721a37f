package io.malob.module;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Named tasks that fail independently: an exception ends only this run of this task. The failures
 * of each task are counted, and logged with its name max once a minute. Thread-safe.
 */
public final class Tasks {
  private static final Logger LOG = LoggerFactory.getLogger(Tasks.class);
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanoTime;
  private final Map<String, Failures> byName = new ConcurrentHashMap<>();

  /**
   * The failures of one task.
   *
   * @param count how many there were
   * @param loggedNanos when one was last logged
   * @param logged whether the latest one was
   */
  private record Failures(long count, long loggedNanos, boolean logged) {}

  /** Tasks on the controller's monotonic clock. */
  public Tasks(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Runs a task. A failure is logged and not thrown; the next run tries again. */
  public void run(String name, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      failed(name, e);
    }
  }

  private void failed(String name, Throwable why) {
    Failures failures =
        byName.merge(
            name, new Failures(1, nanoTime.getAsLong(), true), (before, now) -> next(before, now));
    if (failures.logged) {
      LOG.error(
          "task_failed task=\"{}\" failures={} - it is retried; further failures are only counted"
              + " for a minute",
          name,
          failures.count,
          why);
    }
  }

  private static Failures next(Failures before, Failures now) {
    return now.loggedNanos - before.loggedNanos >= PAUSE_NANOS
        ? new Failures(before.count + 1, now.loggedNanos, true)
        : new Failures(before.count + 1, before.loggedNanos, false);
  }

  /** How often each task has failed, by its name; tasks without failures are omitted. */
  public ImmutableSortedMap<String, Long> failures() {
    return ImmutableSortedMap.copyOf(Maps.transformValues(byName, failures -> failures.count));
  }
}
