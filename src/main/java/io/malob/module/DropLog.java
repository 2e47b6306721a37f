package io.malob.module;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs drops, one line for each source and minute. Any thread adds notes at almost no cost; one
 * thread logs them. Bounded: of more sources than fit at a time, the first are logged; the drops of
 * the others are neither logged nor counted here, so callers that need totals count themselves. A
 * note that is added while its source is forgotten can be lost, too.
 *
 * @param <S> the source
 */
public final class DropLog<S> {
  private static final int MAX_SOURCES = 256;
  private static final long EACH_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Map<S, Note> notes = new ConcurrentHashMap<>();
  private final Line<S> line;

  /** The pending notes of one source. */
  private static final class Note {
    final LongAdder dropped = new LongAdder();
    volatile String example;
    volatile @Nullable Long loggedNanos;

    Note(String example) {
      this.example = example;
    }
  }

  /** Receives a line: the number of drops of a source since the last line, and one of the first. */
  public interface Line<S> {
    /** Writes it. */
    void dropped(S source, long count, String first);
  }

  /** A log that writes these lines. */
  public DropLog(Line<S> line) {
    this.line = line;
  }

  /** Notes a drop of a source; the description is only computed if it is logged. */
  public void note(S source, Supplier<String> what) {
    note(source, 1, what);
  }

  /** Notes several drops of a source. */
  public void note(S source, long count, Supplier<String> what) {
    @Nullable Note note = notes.get(source);
    if (note == null) {
      if (notes.size() >= MAX_SOURCES) {
        return;
      }
      note = notes.computeIfAbsent(source, any -> new Note(""));
    }
    if (note.dropped.sum() == 0) {
      note.example = what.get();
    }
    note.dropped.add(count);
  }

  /** Writes the due lines; to be called every few seconds, by one thread at a time. */
  public void flush(long nowNanos) {
    notes.forEach(
        (source, note) -> {
          @Nullable Long logged = note.loggedNanos;
          if (logged != null && nowNanos - logged < EACH_NANOS) {
            return;
          }
          long dropped = note.dropped.sumThenReset();
          if (dropped == 0) {
            notes.remove(source);
            return;
          }
          note.loggedNanos = nowNanos;
          line.dropped(source, dropped, note.example);
        });
  }
}
