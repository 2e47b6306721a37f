package io.malob.module;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.EnumSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** Counts of each constant of an enum. Thread-safe; takes no lock. */
public class EnumCounts<E extends Enum<E>> {
  private final ImmutableMap<E, LongAdder> counts;

  /** All zero. */
  public EnumCounts(Class<E> kinds) {
    counts = Maps.toMap(EnumSet.allOf(kinds), any -> new LongAdder());
  }

  /** Counts one. */
  public final void count(E kind) {
    add(kind, 1);
  }

  /** Counts several at once. */
  public final void add(E kind, long count) {
    requireNonNull(counts.get(kind)).add(count);
  }

  /** The count of a constant. */
  public final long of(E kind) {
    return requireNonNull(counts.get(kind)).sum();
  }

  /** All counts by these names, in the order of the constants, including zeros. */
  public final ImmutableMap<String, Long> by(Function<? super E, String> name) {
    ImmutableMap.Builder<String, Long> named = ImmutableMap.builder();
    counts.forEach((kind, count) -> named.put(name.apply(kind), count.sum()));
    return named.build();
  }
}
