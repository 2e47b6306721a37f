package io.malob.controller.rest;

import com.google.common.io.CountingOutputStream;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.StreamedBody;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
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

  /**
   * An answer as a JSON document, which counts until it is closed. It is compressed: statistics are
   * long and repetitive, and clients may read them slowly.
   *
   * @param length how many bytes the document has
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
  record Answer(byte[] packed, long length, AtomicLong heldBytes) implements StreamedBody {
    @Override
    public String mediaType() {
      return "application/json";
    }

    @Override
    public void write(OutputStream out) throws IOException {
      try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
        in.transferTo(out);
      }
    }

    @Override
    public void close() {
      heldBytes.addAndGet(-packed.length);
    }
  }

  /**
   * Sends the request to a switch, in turn.
   *
   * @throws ExecutionException if the switch does not answer, or not validly
   * @throws RejectedException if there is no room for another answer now
   */
  Answer ask(IOFSwitch sw, Function<IOFSwitch, ListenableFuture<Object>> question)
      throws ExecutionException, RejectedException {
    try {
      if (!turns.tryAcquire(TURN_SECONDS, TimeUnit.SECONDS)) {
        throw busy("Statistics of other switches are still being read; try again");
      }
      try {
        return held(question.apply(sw).get(ANSWER_SECONDS, TimeUnit.SECONDS));
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

  private Answer held(Object value) throws IOException, RejectedException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    CountingOutputStream plain = new CountingOutputStream(new GZIPOutputStream(packed));
    try (plain) {
      Json.write(plain, value);
    }
    Answer answer = new Answer(packed.toByteArray(), plain.getCount(), heldBytes);
    if (heldBytes.addAndGet(packed.size()) > maxHeldBytes) {
      answer.close();
      throw busy("Clients have not read earlier answers yet; try again");
    }
    return answer;
  }

  static RejectedException busy(String sentence) {
    return new RejectedException(Reason.BUSY, sentence, null);
  }
}
