package io.malob.controller.rest;

import com.google.common.util.concurrent.ListenableFuture;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import net.floodlightcontroller.core.IOFSwitch;

/**
 * Requests statistics from switches, a few at a time over all requests: one answer may need several
 * hundred megabytes until it is converted to JSON. On a heap of 1 GB that is one at a time. Answers
 * that clients have not read yet are kept compressed, within a limit. Safe for use by several
 * threads, which wait here.
 */
final class StatisticReader {
  /** The memory for 32 MiB of messages, and as much again for all else. */
  private static final long HEAP_PER_ANSWER = 768L * 1024 * 1024;

  private static final int MAX_AT_A_TIME = 4;

  /** Longer than requests wait by themselves, unless that has been set to much longer. */
  private static final long ANSWER_SECONDS = 15;

  private static final long TURN_SECONDS = 30;

  private final Semaphore turns;
  private final long maxHeldBytes;
  private final AtomicLong heldBytes = new AtomicLong();

  /** The number of answers at a time that fit in this heap. */
  StatisticReader(long heapBytes) {
    turns =
        new Semaphore(
            (int) Math.max(1, Math.min(MAX_AT_A_TIME, heapBytes / HEAP_PER_ANSWER)), true);
    maxHeldBytes = heapBytes / 16;
  }

  /** There is no room for another answer now. */
  static final class BusyException extends Exception {
    private static final long serialVersionUID = 1L;

    BusyException(String message) {
      super(message);
    }
  }

  /** An answer, which counts until it is closed. */
  final class Answer implements AutoCloseable {
    private final PackedJson json;

    private Answer(PackedJson json) {
      this.json = json;
    }

    long length() {
      return json.length();
    }

    void writeTo(OutputStream out) throws IOException {
      json.writeTo(out);
    }

    @Override
    public void close() {
      heldBytes.addAndGet(-json.packedLength());
    }
  }

  /**
   * Sends the request to a switch, in turn.
   *
   * @throws ExecutionException if the switch does not answer, or not validly
   */
  Answer ask(IOFSwitch sw, Function<IOFSwitch, ListenableFuture<Object>> question)
      throws ExecutionException, BusyException {
    try {
      if (!turns.tryAcquire(TURN_SECONDS, TimeUnit.SECONDS)) {
        throw new BusyException("Statistics of other switches are still being read; try again");
      }
      try {
        return held(PackedJson.of(question.apply(sw).get(ANSWER_SECONDS, TimeUnit.SECONDS)));
      } finally {
        turns.release();
      }
    } catch (TimeoutException | IOException e) {
      throw new ExecutionException("The switch did not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExecutionException("The controller is stopping", e);
    }
  }

  private Answer held(PackedJson json) throws BusyException {
    if (heldBytes.addAndGet(json.packedLength()) > maxHeldBytes) {
      heldBytes.addAndGet(-json.packedLength());
      throw new BusyException("Clients have not read earlier answers yet; try again");
    }
    return new Answer(json);
  }
}
