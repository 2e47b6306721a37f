package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.api.ConnectionPage;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.PlacedConnection;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists connections page by page, ordered by their requests' five-tuples. A page depends only on
 * the last tuple of the page before it. A connection that exists from the first page to the last is
 * listed exactly once, even if others are opened and closed meanwhile.
 *
 * <p>A page scans the whole table once and keeps the smallest tuples in a heap: time is linear in
 * the table, memory in the page. The table is never locked. A connection is locked for a few
 * instructions, and only if its tuple may fit the heap. Thread-safe.
 */
public final class ConnectionListing {
  private static final Comparator<PlacedConnection> LARGEST_FIRST =
      Comparator.comparing(PlacedConnection::request).reversed();

  private final ConnectionTable connections;
  private final LongSupplier nanoTime;

  public ConnectionListing(ConnectionTable connections, LongSupplier nanoTime) {
    this.connections = connections;
    this.nanoTime = nanoTime;
  }

  /** See {@link IBalancerService#connections}. */
  public ConnectionPage page(
      Predicate<PlacedConnection> wanted, @Nullable FiveTuple after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException(
          "a page must have room for at least one connection, not " + limit);
    }
    // one more than the limit shows whether there is another page
    PriorityQueue<PlacedConnection> smallest = new PriorityQueue<>(limit + 1, LARGEST_FIRST);
    long now = nanoTime.getAsLong();
    for (Connection connection : connections.all()) {
      FiveTuple tuple = connection.request();
      if ((after == null || tuple.compareTo(after) > 0) && hasRoom(smallest, limit, tuple)) {
        connection.shown(now).filter(wanted).ifPresent(shown -> add(smallest, limit, shown));
      }
    }
    boolean hasMore = smallest.size() > limit;
    if (hasMore) {
      smallest.remove();
    }
    return page(smallest, hasMore);
  }

  private static boolean hasRoom(
      PriorityQueue<PlacedConnection> smallest, int limit, FiveTuple tuple) {
    @Nullable PlacedConnection largest = smallest.peek();
    return largest == null || smallest.size() <= limit || tuple.compareTo(largest.request()) < 0;
  }

  private static void add(
      PriorityQueue<PlacedConnection> smallest, int limit, PlacedConnection shown) {
    if (smallest.size() > limit) {
      smallest.remove();
    }
    smallest.add(shown);
  }

  private static ConnectionPage page(PriorityQueue<PlacedConnection> smallest, boolean hasMore) {
    ImmutableList<PlacedConnection> page =
        ImmutableList.sortedCopyOf(LARGEST_FIRST.reversed(), smallest);
    return new ConnectionPage(
        page, hasMore ? Optional.of(page.get(page.size() - 1).request()) : Optional.empty());
  }
}
