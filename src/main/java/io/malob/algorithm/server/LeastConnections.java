package io.malob.algorithm.server;

import io.malob.algorithm.Server;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * LC of the thesis (section 3.3.2): the server with the fewest connections for its weight, the new
 * one included, and those that came by other ways as far as they are known; of several, the one
 * that was picked longest ago.
 *
 * <p>The servers are the leaves of a knock-out tree whose inner nodes name the better of their two
 * sides, so that the root names the best. Threads do not wait for each other: whoever changes a
 * leaf plays each match above it again, and once more if somebody else decided it meanwhile; after
 * two tries the result takes the change into account, whoever wrote it (P. Jayanti, f-arrays:
 * implementation and applications, PODC 2002).
 */
public final class LeastConnections implements ServerPicker {
  private static final long WINNER_MASK = 0xffff_ffffL;

  private final List<Server> servers;
  private final Map<Integer, Integer> indexOfNumber = new HashMap<>();

  /** When each server was last picked. */
  private final AtomicIntegerArray picked;

  private final AtomicInteger turn = new AtomicInteger();

  /** Node 1 is the root, nodes 2n and 2n+1 are below node n; a version above the winner's index. */
  private final AtomicLongArray nodes;

  private final int leaves;

  public LeastConnections(List<Server> servers) {
    this.servers = List.copyOf(servers);
    this.picked = new AtomicIntegerArray(servers.size());
    for (int index = 0; index < servers.size(); index++) {
      indexOfNumber.put(servers.get(index).number(), index);
    }
    this.leaves = Math.max(1, Integer.highestOneBit(Math.max(1, servers.size() * 2 - 1)));
    this.nodes = new AtomicLongArray(leaves);
    for (int node = leaves - 1; node >= 1; node--) {
      decide(node);
    }
  }

  @Override
  public int pick() {
    int best = winner(1);
    picked.set(best, turn.incrementAndGet());
    update(best);
    return best;
  }

  @Override
  public void loadChanged(Server server) {
    @Nullable Integer index = indexOfNumber.get(server.number());
    if (index != null) {
      update(index);
    }
  }

  private void update(int index) {
    for (int node = (leaves + index) / 2; node >= 1; node /= 2) {
      if (!decide(node)) {
        decide(node);
      }
    }
  }

  /** Plays one match again; false if another thread decided it in the meantime. */
  private boolean decide(int node) {
    long before = nodes.get(node);
    long version = (before >>> 32) + 1;
    int winner = better(winner(2 * node), winner(2 * node + 1));
    return nodes.compareAndSet(node, before, version << 32 | winner);
  }

  /** The index of the best server below a node. Leaves without a server stand for the last one. */
  private int winner(int node) {
    return node < leaves
        ? (int) (nodes.get(node) & WINNER_MASK)
        : Math.min(node - leaves, servers.size() - 1);
  }

  private int better(int left, int right) {
    Server a = servers.get(left);
    Server b = servers.get(right);
    int byLoad =
        Long.compare((a.load().present() + 1) * b.weight(), (b.load().present() + 1) * a.weight());
    if (byLoad != 0) {
      return byLoad < 0 ? left : right;
    }
    // turns wrap around, so their difference tells which was earlier
    int byTurn = picked.get(left) - picked.get(right);
    return byTurn <= 0 ? left : right;
  }
}
