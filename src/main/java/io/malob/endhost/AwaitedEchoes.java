package io.malob.endhost;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pending echoes of one uplink, oldest first, up to a limit. For one thread. Not a Guava cache,
 * which would drop echoes at any call, not when lost ones are counted.
 */
final class AwaitedEchoes {
  private static final int MAX = 512;

  private final Map<Integer, Echo> bySequence = new LinkedHashMap<>();
  private int next;

  /** One echo. Its time of sending is taken by the thread that writes to the switch. */
  static final class Echo {
    final int sequence;
    final int bytes;
    private final long plannedNanos;
    volatile long writtenNanos;
    volatile boolean isWritten;

    private Echo(int sequence, int bytes, long plannedNanos) {
      this.sequence = sequence;
      this.bytes = bytes;
      this.plannedNanos = plannedNanos;
    }

    /** It is being written to the switch. */
    void written(long nanos) {
      writtenNanos = nanos;
      isWritten = true;
    }
  }

  /** Adds one; drops the oldest if there are too many. */
  Echo add(int bytes, long nowNanos) {
    if (bySequence.size() >= MAX) {
      Iterator<Integer> oldest = bySequence.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    next = (next + 1) & 0xffff;
    Echo echo = new Echo(next, bytes, nowNanos);
    bySequence.put(next, echo);
    return echo;
  }

  /** Removes the echo of that number; null if it is not pending. */
  @Nullable Echo take(int sequence) {
    return bySequence.remove(sequence);
  }

  /** Removes those that were planned before; returns how many of them had been sent. */
  int giveUpBefore(long nanos) {
    int lost = 0;
    Iterator<Echo> oldest = bySequence.values().iterator();
    while (oldest.hasNext()) {
      Echo echo = oldest.next();
      if (echo.plannedNanos - nanos >= 0) {
        break;
      }
      oldest.remove();
      lost += echo.isWritten ? 1 : 0;
    }
    return lost;
  }

  /** Removes all of them. */
  void clear() {
    bySequence.clear();
  }
}
