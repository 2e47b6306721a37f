package io.malob.balancer.view;

import io.malob.algorithm.Server;
import io.malob.algorithm.health.SlowStart;
import io.malob.state.catalog.Pool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Knows which members have just come into their pools, or back, and gives them their shares. Within
 * a pool, the largest share counts as a whole one: members that come together begin alike. For one
 * thread at a time.
 */
public final class SlowStarts {
  private final LongSupplier nanoTime;

  /** By pool, since when members have been there that have not come to their full share yet. */
  private final Map<String, Map<Integer, Long>> sinceNanos = new HashMap<>();

  public SlowStarts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** A pool has, or is about to get, these members to choose from. */
  void follow(Pool pool, List<Server> before, List<Server> after) {
    @Nullable Map<Integer, Long> known = sinceNanos.remove(pool.id());
    if (pool.slowStartSeconds() > 0) {
      Set<Integer> had = before.stream().map(Server::number).collect(Collectors.toSet());
      Map<Integer, Long> next = new HashMap<>();
      for (Server server : after) {
        @Nullable Long since = known == null ? null : known.get(server.number());
        if (!had.contains(server.number())) {
          next.put(server.number(), nanoTime.getAsLong());
        } else if (since != null) {
          next.put(server.number(), since);
        }
      }
      if (!next.isEmpty()) {
        sinceNanos.put(pool.id(), next);
      }
    }
    if (known != null || sinceNanos.containsKey(pool.id())) {
      share(pool, after);
    }
  }

  /** There are these pools and no others. */
  void retain(Set<String> poolIds) {
    sinceNanos.keySet().retainAll(poolIds);
  }

  /**
   * Gives the members of a pool the shares that they have now, and forgets those that have all of
   * it.
   *
   * @return whether any has changed
   */
  boolean share(Pool pool, List<Server> servers) {
    @Nullable Map<Integer, Long> since = sinceNanos.get(pool.id());
    double[] shares = new double[servers.size()];
    double most = 0;
    for (int i = 0; i < shares.length; i++) {
      shares[i] = since == null ? 1 : share(pool, since.get(servers.get(i).number()));
      most = Math.max(most, shares[i]);
    }
    boolean changed = false;
    for (int i = 0; i < shares.length; i++) {
      double share = shares[i] / most;
      changed |= share != servers.get(i).load().share();
      servers.get(i).load().setShare(share);
    }
    if (since != null
        && since.values().removeIf(each -> share(pool, each) == 1)
        && since.isEmpty()) {
      sinceNanos.remove(pool.id());
    }
    return changed;
  }

  private double share(Pool pool, @Nullable Long since) {
    return since == null
        ? 1
        : new SlowStart(TimeUnit.SECONDS.toNanos(pool.slowStartSeconds()))
            .share(nanoTime.getAsLong() - since);
  }

  /** Whether no member is in slow start. */
  boolean isOver() {
    return sinceNanos.isEmpty();
  }
}
