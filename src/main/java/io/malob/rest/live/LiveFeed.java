package io.malob.rest.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the latest frames to listeners, each at its own pace: a slow listener gets fewer frames,
 * and never an older one after a newer one. Each frame is produced once for all listeners, and only
 * while there are listeners. Thread-safe; the threads of listeners wait here.
 */
final class LiveFeed implements AutoCloseable {
  /** The time for which frames are produced after a poll without listeners. */
  private static final long INTEREST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The age from which frames are produced again at a poll. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final UnaryOperator<@Nullable LiveFrames> source;
  private final LongSupplier nanoTime;
  private final int maxListeners;
  private final long patienceNanos;
  private final List<Listener> listeners = new ArrayList<>();
  private @Nullable LiveFrames latest;
  private long madeNanos;
  private long madeCount;
  private long askedNanos;
  private boolean isClosed;

  /**
   * A feed that {@link #tick} drives.
   *
   * @param source produces the next frames from the last ones, null at first; called by one thread
   *     at a time
   * @param patienceNanos the time without progress after which a listener is dropped
   */
  LiveFeed(
      UnaryOperator<@Nullable LiveFrames> source,
      LongSupplier nanoTime,
      int maxListeners,
      long patienceNanos) {
    this.source = source;
    this.nanoTime = nanoTime;
    this.maxListeners = maxListeners;
    this.patienceNanos = patienceNanos;
    askedNanos = nanoTime.getAsLong() - INTEREST_NANOS;
  }

  /** Produces the next frames if there are listeners, and drops listeners that receive none. */
  synchronized void tick() {
    long now = nanoTime.getAsLong();
    for (Listener listener : listeners) {
      listener.checkPatience(now);
    }
    if (!isClosed && (!listeners.isEmpty() || now - askedNanos < INTEREST_NANOS)) {
      make(now);
    }
  }

  /** The current frames. */
  synchronized LiveFrames current() {
    long now = nanoTime.getAsLong();
    askedNanos = now;
    LiveFrames frames = latest;
    return frames == null || now - madeNanos > FRESH_NANOS ? make(now) : frames;
  }

  private LiveFrames make(long now) {
    LiveFrames made = source.apply(latest);
    latest = made;
    madeNanos = now;
    madeCount++;
    notifyAll();
    return made;
  }

  /** Adds a listener, which must be closed; empty at the limit. */
  synchronized Optional<Listener> join() {
    if (isClosed || listeners.size() >= maxListeners) {
      return Optional.empty();
    }
    Listener listener = new Listener();
    listeners.add(listener);
    return Optional.of(listener);
  }

  /** Ends all listeners. No listener can join any more. */
  @Override
  public synchronized void close() {
    isClosed = true;
    notifyAll();
  }

  /** A receiver of frames; a slow one misses some. Used by one thread. */
  final class Listener implements AutoCloseable {
    private long seenCount;
    private @Nullable Thread writer;
    private long beganNanos;

    private Listener() {}

    /**
     * Waits for frames that this listener has not had; at first, the current ones.
     *
     * @return null when the feed has ended
     */
    @Nullable LiveFrames next() throws InterruptedException {
      synchronized (LiveFeed.this) {
        if (seenCount == 0 && !isClosed) {
          LiveFrames first = current();
          seenCount = madeCount;
          return first;
        }
        while (seenCount == madeCount && !isClosed) {
          LiveFeed.this.wait();
        }
        seenCount = madeCount;
        return isClosed ? null : latest;
      }
    }

    /** From now on the calling thread may wait for the listener for a limited time. */
    void beginWrite() {
      synchronized (LiveFeed.this) {
        beganNanos = nanoTime.getAsLong();
        writer = Thread.currentThread();
      }
    }

    /** It is done. */
    void endWrite() {
      synchronized (LiveFeed.this) {
        writer = null;
      }
    }

    /** Interrupting a thread that waits for a socket closes this socket. */
    private void checkPatience(long now) {
      Thread waiting = writer;
      if (waiting != null && now - beganNanos > patienceNanos) {
        writer = null;
        waiting.interrupt();
      }
    }

    @Override
    public void close() {
      synchronized (LiveFeed.this) {
        writer = null;
        listeners.remove(this);
      }
    }
  }
}
