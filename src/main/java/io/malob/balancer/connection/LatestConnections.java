package io.malob.balancer.connection;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The connections whose rules were sent last, by the generation that is in the cookies of their
 * rules: a switch that refuses a rule names no more than that. Thread-safe. Not a Guava cache, whose
 * lock all placements would share.
 */
public final class LatestConnections {
  /** A power of two, and more than are sent before a switch has answered. */
  private static final int KEPT = 16_384;

  private final AtomicReferenceArray<@Nullable Connection> byGeneration =
      new AtomicReferenceArray<>(KEPT);

  void add(Connection connection) {
    byGeneration.set(connection.generation() & (KEPT - 1), connection);
  }

  /** Lets go of a connection that is forgotten. */
  public void remove(Connection connection) {
    byGeneration.compareAndSet(connection.generation() & (KEPT - 1), connection, null);
  }

  /** The connection of that generation; null if too many have come since. */
  public @Nullable Connection find(int generation) {
    @Nullable Connection connection = byGeneration.get(generation & (KEPT - 1));
    return connection != null && connection.generation() == generation ? connection : null;
  }
}
