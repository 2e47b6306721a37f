package net.floodlightcontroller.threadpool;

import java.util.concurrent.ScheduledExecutorService;
import net.floodlightcontroller.core.module.IFloodlightService;

/** A shared pool for timed work. */
public interface IThreadPoolService extends IFloodlightService {
  /** The pool. */
  ScheduledExecutorService getScheduledExecutor();
}
