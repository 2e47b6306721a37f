package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The members that have left the pool of a tracked VIP, as long as switches may remember them for
 * connections. For one thread at a time.
 */
final class RemovedMembers {
  /** For how long, if a switch does not forget their connections on request. */
  private static final long REMEMBERED_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The max number of them. */
  private static final int MAX = 1_000;

  /** The members of the pool that have been located, by number. */
  private final Map<Integer, Server> members = new HashMap<>();

  /** Those that have left it, and when. */
  private final Map<Server, Long> removed = new LinkedHashMap<>();

  /**
   * Takes over the members of the pool.
   *
   * @param areForgotten whether the switches forget connections on request
   */
  void follow(BucketInput now, boolean areForgotten) {
    long remembered = areForgotten ? ConnectionFlushes.DURATION_NANOS : REMEMBERED_NANOS;
    removed.values().removeIf(since -> now.nowNanos() - since >= remembered);
    members
        .entrySet()
        .removeIf(
            each -> {
              boolean isGone = !now.standings().containsKey(each.getKey());
              if (isGone && removed.size() < MAX) {
                removed.put(each.getValue(), now.nowNanos());
              }
              return isGone;
            });
    now.located().forEach(server -> members.put(server.number(), server));
  }

  /** Those that have left it a short time ago. */
  Set<Server> all() {
    return removed.keySet();
  }
}
