package io.malob.algorithm.server;

import io.malob.algorithm.Server;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The server with the least load, as a rule defines it; of several, the server picked longest ago.
 * Kept in a {@link TournamentTree}: a choice and a change of load cost O(log servers).
 */
final class LeastLoaded {
  private final List<Server> servers;
  private final Map<Integer, Integer> indexOfNumber = new HashMap<>();

  /** When each server was last picked. */
  private final AtomicIntegerArray picked;

  private final AtomicInteger turn = new AtomicInteger();
  private final Comparator<Server> order;
  private final TournamentTree best;

  /** The least of these servers in an order by load, which may change at any time. */
  LeastLoaded(List<Server> servers, Comparator<Server> order) {
    this.order = order;
    this.servers = List.copyOf(servers);
    this.picked = new AtomicIntegerArray(servers.size());
    for (int index = 0; index < servers.size(); index++) {
      indexOfNumber.put(servers.get(index).number(), index);
    }
    this.best = new TournamentTree(servers.size(), this::better);
  }

  Server server(int index) {
    return servers.get(index);
  }

  /** Picks the least loaded server; returns its index. */
  int pick() {
    int index = best.best();
    picked.set(index, turn.incrementAndGet());
    best.changed(index);
    return index;
  }

  /** The next result of {@link #pick}. */
  int next() {
    return best.best();
  }

  /** Tells that the load of a server has changed. */
  void loadChanged(Server server) {
    @Nullable Integer index = indexOfNumber.get(server.number());
    if (index != null) {
      best.changed(index);
    }
  }

  private int better(int left, int right) {
    int byLoad = order.compare(servers.get(left), servers.get(right));
    if (byLoad != 0) {
      return byLoad < 0 ? left : right;
    }
    // turns wrap around, so their difference tells which was earlier
    int byTurn = picked.get(left) - picked.get(right);
    return byTurn <= 0 ? left : right;
  }
}
