package io.malob.state.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes records to a file, line by line, on its own thread. Callers never wait: if too many
 * records are queued, or the disk is full, further ones are dropped and counted. Thread-safe.
 *
 * @param <T> the records
 */
public final class RecordWriter<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RecordWriter.class);

  /** At a thousand bytes for each, some 64 MB. */
  static final int MAX_WAITING = 65_536;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long CLOSE_MILLIS = 5_000;

  private final Path path;
  private final RotatingFile file;
  private final Function<T, String> format;
  private final ConcurrentLinkedQueue<T> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final LongAdder written = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final Thread thread;
  private volatile boolean closing;
  private volatile boolean ended;
  private boolean failed;

  private RecordWriter(Path path, RotatingFile file, Function<T, String> format, String name) {
    this.path = path;
    this.file = file;
    this.format = format;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  /**
   * Opens the file and starts the thread.
   *
   * @param maxBytes the size at which the file is rotated
   * @param maxFiles the number of files that are kept
   * @param format converts a record to a line; called on the writer's thread
   * @throws IOException if the file cannot be written
   */
  public static <T> RecordWriter<T> start(
      Path path, long maxBytes, int maxFiles, Function<T, String> format) throws IOException {
    RotatingFile file = new RotatingFile(path, maxBytes, maxFiles);
    file.open();
    RecordWriter<T> writer =
        new RecordWriter<>(path, file, format, "records-" + path.getFileName());
    writer.thread.start();
    return writer;
  }

  /** Queues a record, if there is room. */
  public void add(T element) {
    if (closing || size.incrementAndGet() > MAX_WAITING) {
      size.decrementAndGet();
      dropped.increment();
    } else {
      waiting.add(element);
      if (ended) {
        dropRest();
      }
    }
  }

  /** The number of written records. */
  public long written() {
    return written.sum();
  }

  /** The number of dropped records. */
  public long dropped() {
    return dropped.sum();
  }

  private void run() {
    while (!closing) {
      writeAll();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    writeAll();
    closeFile();
    ended = true;
    dropRest();
  }

  private void closeFile() {
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("records_not_closed file={} why=\"{}\"", path, e.toString());
    }
  }

  /** Counts records that were added too late to be written. */
  private void dropRest() {
    while (waiting.poll() != null) {
      size.decrementAndGet();
      dropped.increment();
    }
  }

  private void writeAll() {
    int count = 0;
    try {
      for (@Nullable T next = waiting.poll(); next != null; next = waiting.poll()) {
        size.decrementAndGet();
        count++;
        file.add(format.apply(next));
      }
      file.flush();
      written.add(count);
      failed = false;
    } catch (IOException | RuntimeException e) {
      dropped.add(count);
      if (!failed) {
        LOG.error("records_not_written file={} why=\"{}\"", path, e.toString());
      }
      failed = true;
    }
  }

  /**
   * Has the thread write the queued records and close the file, and waits for that, up to a limit.
   * The file is the thread's alone: with a slow disk, the thread goes on after the wait.
   */
  @Override
  public void close() {
    close(CLOSE_MILLIS);
  }

  void close(long maxMillis) {
    closing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(maxMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn("records_not_closed file={} why=\"{}\"", path, "records are still being written");
    }
  }
}
