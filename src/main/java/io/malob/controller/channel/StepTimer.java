package io.malob.controller.channel;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits each step of a handshake, not the whole: if a thousand switches connect at once, each
 * handshake is slow but makes progress, and refused switches would only reconnect. On the channel's
 * thread only.
 */
final class StepTimer {
  private final EventLoop thread;
  private final int stepMillis;
  private final Runnable tooLate;
  private @Nullable ScheduledFuture<?> running;

  /** A timer that has not begun; {@code tooLate} is called when a step takes too long. */
  StepTimer(EventLoop thread, int stepMillis, Runnable tooLate) {
    this.thread = thread;
    this.stepMillis = stepMillis;
    this.tooLate = tooLate;
  }

  /** A step begins, and the one before it is over. */
  void begin() {
    end();
    running = thread.schedule(tooLate, stepMillis, TimeUnit.MILLISECONDS);
  }

  /** No step is pending. */
  void end() {
    ScheduledFuture<?> before = running;
    if (before != null) {
      before.cancel(false);
      running = null;
    }
  }
}
