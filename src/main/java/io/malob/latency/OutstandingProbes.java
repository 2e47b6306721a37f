package io.malob.latency;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pending probes by number, up to a limit. One thread adds and expires probes; any thread
 * removes them, each only once: a duplicate finds nothing. No lock, which a Guava cache would take
 * for each of thousands of probes a second.
 */
final class OutstandingProbes {
  private final AtomicReferenceArray<@Nullable Probe> ring;
  private final int mask;
  private long oldest;
  private long next;

  /** The max number at a time, a power of two. */
  OutstandingProbes(int limit) {
    if (Integer.bitCount(limit) != 1) {
      throw new IllegalArgumentException(limit + " is not a power of two");
    }
    ring = new AtomicReferenceArray<>(limit);
    mask = limit - 1;
  }

  /** Adds a probe to this target; null if there is no room. */
  @Nullable Probe add(Target target, ControlMethod method, long nowNanos) {
    int slot = (int) next & mask;
    if (ring.get(slot) != null) {
      return null;
    }
    Probe probe = new Probe(next++, target, method, nowNanos);
    ring.set(slot, probe);
    return probe;
  }

  /** The probe of that number, if it is still pending. */
  @Nullable Probe find(long number) {
    @Nullable Probe probe = ring.get((int) number & mask);
    return probe == null || probe.number != number ? null : probe;
  }

  /** Removes a probe; false if another thread has removed it. */
  boolean remove(Probe probe) {
    return ring.compareAndSet((int) probe.number & mask, probe, null);
  }

  /** Removes the probes that were added before that time, oldest first. */
  void removeBefore(long nanos, Consumer<Probe> lost) {
    for (; oldest < next; oldest++) {
      @Nullable Probe probe = ring.get((int) oldest & mask);
      if (probe != null) {
        if (probe.createdNanos - nanos >= 0) {
          return;
        }
        if (remove(probe)) {
          lost.accept(probe);
        }
      }
    }
  }
}
