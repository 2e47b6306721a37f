package io.malob.agent;

import io.malob.state.report.Rejection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * Tells what is dropped, in one line for each source and minute. Notes are taken by any thread and
 * cost next to nothing; one thread tells them. Bounded: of very many sources at a time the first
 * are told of, and the others only counted.
 */
final class RejectionLog {
  /** Stands for what did not come through the network. */
  static final IPv4Address NO_SOURCE = IPv4Address.NONE;

  private static final int MOST_SOURCES = 256;
  private static final long EACH_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Map<IPv4Address, Note> notes = new ConcurrentHashMap<>();
  private final Log log;

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
  interface Log {
    void dropped(String source, long count, String first);
  }

  RejectionLog(Log log) {
    this.log = log;
  }

  /** Something of a source was dropped. */
  void note(IPv4Address source, Rejection reason, String sentence) {
    @Nullable Note note = notes.get(source);
    if (note == null) {
      if (notes.size() >= MOST_SOURCES) {
        return;
      }
      note = notes.computeIfAbsent(source, any -> new Note(""));
    }
    if (note.dropped.sum() == 0) {
      note.example = reason.label() + ", " + sentence;
    }
    note.dropped.increment();
  }

  /** Tells what is due; to be called every few seconds, by one thread at a time. */
  void tell(long nowNanos) {
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
          log.dropped(source.equals(NO_SOURCE) ? "http" : source.toString(), dropped, note.example);
        });
  }
}
