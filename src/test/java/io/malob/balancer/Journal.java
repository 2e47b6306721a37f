package io.malob.balancer;

import com.google.errorprone.annotations.FormatMethod;
import io.malob.testing.EventQueue;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.stream.Collectors;

/** What has happened in a simulation, so that a failure can be understood. */
final class Journal {
  private static final int LINES = 400;

  private final EventQueue events;
  private final ArrayDeque<Line> lines = new ArrayDeque<>();

  Journal(EventQueue events) {
    this.events = events;
  }

  /** Writes a line; it is put together when it is read, with the values as they are then. */
  void note(String text, Object... values) {
    lines.add(new Line(events.now(), text, values));
    if (lines.size() > LINES) {
      lines.remove();
    }
  }

  /** An invariant does not hold. */
  @FormatMethod
  void wrong(String text, Object... values) {
    note("WRONG: " + text, values);
    throw new AssertionError(String.format(text, values));
  }

  /** The latest lines, oldest first. */
  String text() {
    return lines.stream().map(Line::toString).collect(Collectors.joining("\n"));
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Line(long nanos, String text, Object[] values) {
    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%12.6f  ", nanos / 1e9) + String.format(text, values);
    }
  }
}
