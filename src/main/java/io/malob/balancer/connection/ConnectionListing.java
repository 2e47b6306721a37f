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
 * Lists connections page by page, in the order of their requests' five-tuples: so a page needs
 * nothing but the last tuple of the one before, and a connection that is there from the first page
 * to the last is listed exactly once, whatever comes and goes meanwhile.
 *
 * <p>A page walks over the whole table once and keeps the smallest tuples in a heap, so it costs
 * linear time and as much memory as it has lines. The table is never locked; a connection only for
 * a few instructions, and only if the heap could take it.
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
      throw new IllegalArgumentException("a page of " + limit + " connections");
    }
    // one more than asked for tells whether there is another page
    PriorityQueue<PlacedConnection> smallest = new PriorityQueue<>(limit + 1, LARGEST_FIRST);
    long now = nanoTime.getAsLong();
    for (Connection connection : connections.all()) {
      FiveTuple tuple = connection.request();
      if ((after == null || tuple.compareTo(after) > 0) && hasRoom(smallest, limit, tuple)) {
        connection.shown(now).filter(wanted).ifPresent(shown -> add(smallest, limit, shown));
      }
    }
    boolean goesOn = smallest.size() > limit;
    if (goesOn) {
      smallest.remove();
    }
    return page(smallest, goesOn);
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

  private static ConnectionPage page(PriorityQueue<PlacedConnection> smallest, boolean goesOn) {
    ImmutableList<PlacedConnection> page =
        ImmutableList.sortedCopyOf(LARGEST_FIRST.reversed(), smallest);
    return new ConnectionPage(
        page, goesOn ? Optional.of(page.get(page.size() - 1).request()) : Optional.empty());
  }
}
