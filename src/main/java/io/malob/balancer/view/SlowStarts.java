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
 * Tracks members in slow start, which have just joined or rejoined their pools, and sets their
 * shares. Within a pool, shares are relative to the largest one: members that join together start
 * equal. Not thread-safe.
 */
public final class SlowStarts {
  private final LongSupplier nanoTime;

  /** For each pool, the start times of its members in slow start. */
  private final Map<String, Map<Integer, Long>> sinceNanos = new HashMap<>();

  public SlowStarts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Takes over the eligible members of a pool. */
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

  /** Removes all pools but these. */
  void retain(Set<String> poolIds) {
    sinceNanos.keySet().retainAll(poolIds);
  }

  /**
   * Updates the shares of a pool's members and removes members with a full share from slow start.
   *
   * @return whether a share has changed
   */
  boolean share(Pool pool, List<Server> servers) {
    @Nullable Map<Integer, Long> since = sinceNanos.get(pool.id());
    double[] shares = new double[servers.size()];
    double max = 0;
    for (int i = 0; i < shares.length; i++) {
      shares[i] = since == null ? 1 : share(pool, since.get(servers.get(i).number()));
      max = Math.max(max, shares[i]);
    }
    boolean changed = false;
    for (int i = 0; i < shares.length; i++) {
      double share = shares[i] / max;
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
