package io.malob.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs the same work on several threads that start at the same moment. */
public final class Together {
  private static final int LIMIT_SECONDS = 60;

  private Together() {}

  /** What each thread does. */
  public interface Work {
    /** The work of one thread, which are numbered from 0. */
    void run(int thread) throws Exception;
  }

  /** Runs the work and waits for all of it; fails with what the first thread failed with. */
  public static void run(int threads, Work work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      CountDownLatch ready = new CountDownLatch(threads);
      List<Callable<Boolean>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        tasks.add(
            () -> {
              ready.countDown();
              ready.await();
              work.run(thread);
              return true;
            });
      }
      for (Future<Boolean> done : executor.invokeAll(tasks, LIMIT_SECONDS, TimeUnit.SECONDS)) {
        done.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError("a thread failed: " + e.getCause(), e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }
}
