package io.malob.module;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells what is dropped, in one line for each source and minute. Notes are taken by any thread and
 * cost next to nothing; one thread tells them. Bounded: of very many sources at a time the first
 * are told of, and the others only counted.
 *
 * @param <S> where it came from
 */
public final class DropLog<S> {
  private static final int MAX_SOURCES = 256;
  private static final long EACH_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Map<S, Note> notes = new ConcurrentHashMap<>();
  private final Line<S> line;

  /** What there is to tell of one source. */
  private static final class Note {
    final LongAdder dropped = new LongAdder();
    volatile String example;
    volatile @Nullable Long toldNanos;

    Note(String example) {
      this.example = example;
    }
  }

  /** Takes a line: how many of a source were dropped since the last one, and the first of them. */
  public interface Line<S> {
    /** Writes it. */
    void dropped(S source, long count, String first);
  }

  /** A log that writes these lines. */
  public DropLog(Line<S> line) {
    this.line = line;
  }

  /** Something of a source was dropped; what it was is only asked for if it is to be told. */
  public void note(S source, Supplier<String> what) {
    note(source, 1, what);
  }

  /** So many of a source were dropped. */
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

  /** Tells what is due; to be called every few seconds, by one thread at a time. */
  public void tell(long nowNanos) {
    notes.forEach(
        (source, note) -> {
          @Nullable Long told = note.toldNanos;
          if (told != null && nowNanos - told < EACH_NANOS) {
            return;
          }
          long dropped = note.dropped.sumThenReset();
          if (dropped == 0) {
            notes.remove(source);
            return;
          }
          note.toldNanos = nowNanos;
          line.dropped(source, dropped, note.example);
        });
  }
}
