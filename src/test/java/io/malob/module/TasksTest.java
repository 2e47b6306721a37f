package io.malob.module;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.testing.LogLines;
import io.malob.testing.Stub;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tasks that fail, alone and repeated. */
class TasksTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
  private final Tasks tasks = new Tasks(clock::get);

  private static void fail() {
    throw new IllegalStateException("broken");
  }

  @Test
  void taskThatFails_isLoggedWithItsNameOnceAMinute_andCounted() {
    try (LogLines log = LogLines.of(Tasks.class)) {
      tasks.run("sweeping", TasksTest::fail);
      tasks.run("sweeping", TasksTest::fail);
      tasks.run("asking", TasksTest::fail);
      clock.addAndGet(TimeUnit.SECONDS.toNanos(60) - 1);
      tasks.run("sweeping", TasksTest::fail);
      assertEquals(
          List.of(
              "task_failed task=\"sweeping\" failures=1", "task_failed task=\"asking\" failures=1"),
          log.takeEvents());
      clock.addAndGet(1);
      tasks.run("sweeping", TasksTest::fail);
      tasks.run("sweeping", TasksTest::fail);
      assertEquals(List.of("task_failed task=\"sweeping\" failures=4"), log.takeEvents());
      assertEquals(Map.of("asking", 1L, "sweeping", 5L), tasks.failures());
    }
  }

  @Test
  void errorOfATask_endsNothingElse() {
    tasks.run(
        "linking",
        () -> {
          throw new NoSuchMethodError("of an older library");
        });
    assertEquals(Map.of("linking", 1L), tasks.failures());
  }

  /** What a timer was asked to do. */
  private final List<Runnable> scheduled = new ArrayList<>();

  private final List<Long> pauses = new ArrayList<>();

  private Repetition repetition() {
    return new Repetition(
        Stub.of(ScheduledExecutorService.class)
            .on(
                "schedule",
                with -> {
                  scheduled.add((Runnable) with[0]);
                  pauses.add((Long) with[1]);
                  return null;
                })
            .make(),
        tasks);
  }

  @Test
  void repetition_whosePauseCannotBeTold_goesOnWithTheOneBefore() {
    AtomicInteger asked = new AtomicInteger();
    repetition()
        .after(
            () -> {
              if (asked.incrementAndGet() == 2) {
                fail();
              }
              return asked.get() * 10L;
            },
            "measuring",
            () -> {});
    scheduled.get(0).run();
    scheduled.get(1).run();
    assertEquals(List.of(10L, 10L, 30L), pauses);
  }
}
