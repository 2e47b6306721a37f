package io.malob.balancer;

import io.malob.module.Repetition;
import io.malob.module.Tasks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * The schedule of the balancer's work besides packets. It consists of named tasks, which fail
 * independently. They run in order on one serial executor, never on a thread that reads from
 * switches. Thread-safe, once the periodic tasks are added.
 */
final class Housekeeping {
  /** The interval of tidying. */
  static final long TIDY_MILLIS = 5_000;

  private final Executor serialExecutor;
  private final Tasks tasks;
  private final List<Period> periods = new ArrayList<>();
  private final List<Task> tidying = new ArrayList<>();

  /**
   * An empty schedule.
   *
   * @param serialExecutor runs one task at a time
   * @param tasks counts and logs failures
   */
  Housekeeping(Executor serialExecutor, Tasks tasks) {
    this.serialExecutor = serialExecutor;
    this.tasks = tasks;
  }

  /**
   * A task.
   *
   * @param name for logs and failure counts
   */
  record Task(String name, Runnable work) {}

  private record Period(long millis, BooleanSupplier isNeeded, List<Task> several) {}

  /** Adds tasks that are scheduled one by one, in this order, at each interval. */
  void every(long millis, Task... several) {
    every(millis, () -> true, several);
  }

  /**
   * The same, but only at intervals at which the tasks are needed: scheduling them activates a
   * thread.
   *
   * @param isNeeded is asked on the timer's thread, and must not block
   */
  void every(long millis, BooleanSupplier isNeeded, Task... several) {
    periods.add(new Period(millis, isNeeded, List.of(several)));
  }

  /** Adds tasks that are scheduled together every few seconds, in the order in which they come. */
  void tidying(Task... several) {
    tidying.addAll(List.of(several));
  }

  /** Starts the periodic tasks. */
  void start(Repetition repetition) {
    every(TIDY_MILLIS, tidying.toArray(Task[]::new));
    for (Period each : periods) {
      repetition.every(
          each.millis,
          each.several.get(0).name,
          () -> {
            if (each.isNeeded.getAsBoolean()) {
              submit(each.several);
            }
          });
    }
  }

  /** Schedules a task. */
  void submit(String name, Runnable work) {
    serialExecutor.execute(() -> tasks.run(name, work));
  }

  /** Schedules tasks one by one: others may run between them. */
  void submit(List<Task> several) {
    several.forEach(task -> submit(task.name, task.work));
  }

  /** Schedules a step, which may run several tasks. An exception outside of them is not caught. */
  void execute(Runnable step) {
    serialExecutor.execute(step);
  }

  /** Schedules a change that is applied as a whole or fails. */
  CompletableFuture<Void> apply(Runnable change) {
    return CompletableFuture.runAsync(change, serialExecutor);
  }

  /** Runs tasks at once, with no other between them. To be called in a step. */
  void run(List<Task> several) {
    several.forEach(task -> tasks.run(task.name, task.work));
  }
}
