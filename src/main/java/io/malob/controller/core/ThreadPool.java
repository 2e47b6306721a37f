package io.malob.controller.core;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pool for timed work. Exceptions of tasks are logged: the JDK would hide them. */
final class ThreadPool extends ScheduledThreadPoolExecutor
    implements IThreadPoolService, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(ThreadPool.class);

  /** The default number. */
  static final int THREADS = 4;

  ThreadPool() {
    super(THREADS, new ThreadFactoryBuilder().setNameFormat("timed-%d").setDaemon(true).build());
    setRemoveOnCancelPolicy(true);
    // tasks are rejected only after the shutdown, which is no error
    setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public ScheduledExecutorService getScheduledExecutor() {
    return this;
  }

  /** Ends all work: tasks that run are interrupted. */
  @Override
  public void close() {
    shutdownNow();
  }

  @Override
  protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
    super.afterExecute(task, thrown);
    // a periodic task is done only if it failed or was cancelled
    if (task instanceof Future<?> future && future.isDone() && !isShutdown()) {
      try {
        future.get();
      } catch (ExecutionException e) {
        logger.warn("timed_task_failed - it will not run again", e.getCause());
      } catch (CancellationException | InterruptedException e) {
        logger.debug("timed_task_ended", e);
      }
    }
  }
}
