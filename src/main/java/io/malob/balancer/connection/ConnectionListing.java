package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.api.ConnectionPage;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.PlacedConnection;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists connections page by page, ordered by their requests' five-tuples. A page depends only on
 * the last tuple of the page before it. A connection that exists from the first page to the last is
 * listed exactly once, even if others are opened and closed meanwhile.
 *
 * <p>A page scans the whole table once and keeps the smallest tuples: time is linear in the table,
 * memory in the page. A connection is locked for a few instructions, and only if its tuple may be
 * one of them. Thread-safe.
 */
public record ConnectionListing(ConnectionTable connections, LongSupplier nanoTime) {
  /** See {@link IBalancerService#connections}. */
  public ConnectionPage page(
      Predicate<PlacedConnection> wanted, @Nullable FiveTuple after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a page must be at least 1, not " + limit);
    }
    // one more than the limit shows whether there is another page
    NavigableMap<FiveTuple, PlacedConnection> smallest = new TreeMap<>();
    long now = nanoTime.getAsLong();
    Predicate<FiveTuple> mayFit =
        tuple -> (after == null || tuple.compareTo(after) > 0) && hasRoom(smallest, limit, tuple);
    for (Connection connection : connections.all(mayFit)) {
      connection.shown(now).filter(wanted).ifPresent(shown -> add(smallest, limit, shown));
    }
    boolean hasMore = smallest.size() > limit;
    if (hasMore) {
      smallest.pollLastEntry();
    }
    return new ConnectionPage(
        ImmutableList.copyOf(smallest.values()),
        hasMore ? Optional.of(smallest.lastKey()) : Optional.empty());
  }

  private static boolean hasRoom(
      NavigableMap<FiveTuple, PlacedConnection> smallest, int limit, FiveTuple tuple) {
    return smallest.size() <= limit || tuple.compareTo(smallest.lastKey()) < 0;
  }

  private static void add(
      NavigableMap<FiveTuple, PlacedConnection> smallest, int limit, PlacedConnection shown) {
    smallest.put(shown.request(), shown);
    if (smallest.size() > limit + 1) {
      smallest.pollLastEntry();
    }
  }
}
