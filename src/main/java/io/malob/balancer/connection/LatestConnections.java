package io.malob.balancer.connection;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The connections whose rules were sent last, by the generation in the rules' cookies. A switch
 * that rejects a rule returns only this generation. Thread-safe. Not a Guava cache, whose lock all
 * placements would share.
 */
public final class LatestConnections {
  /** A power of two; more connections than are programmed before a switch answers. */
  private static final int CAPACITY = 16_384;

  private final AtomicReferenceArray<@Nullable Connection> byGeneration =
      new AtomicReferenceArray<>(CAPACITY);

  void add(Connection connection) {
    byGeneration.set(connection.generation() & (CAPACITY - 1), connection);
  }

  /** Drops a connection that has no rules any more. */
  void remove(Connection connection) {
    byGeneration.compareAndSet(connection.generation() & (CAPACITY - 1), connection, null);
  }

  /** The connection of a generation; null if later connections have overwritten it. */
  public @Nullable Connection find(int generation) {
    @Nullable Connection connection = byGeneration.get(generation & (CAPACITY - 1));
    return connection != null && connection.generation() == generation ? connection : null;
  }
}
