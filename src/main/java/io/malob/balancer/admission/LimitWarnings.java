package io.malob.balancer.admission;

import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of VIPs whose limits refuse connections, each once in a minute. For one thread at a time.
 */
public final class LimitWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(LimitWarnings.class);
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ConnectionLimiter connectionLimiter;
  private final HalfOpenLimit halfOpen;
  private final LongSupplier nanoTime;
  private final Map<Integer, Told> limits = new HashMap<>();
  private final Map<Integer, Told> halfOpenLimits = new HashMap<>();

  private record Told(int refused, long atNanos) {}

  public LimitWarnings(
      ConnectionLimiter connectionLimiter, HalfOpenLimit halfOpen, LongSupplier nanoTime) {
    this.connectionLimiter = connectionLimiter;
    this.halfOpen = halfOpen;
    this.nanoTime = nanoTime;
  }

  /** To be called every few seconds, with all VIPs. */
  public void tell(Collection<Vip> vips) {
    for (Vip vip : vips) {
      int refused = due(limits, vip, connectionLimiter.refusedAtVip(vip.number()));
      if (refused != 0) {
        LOG.warn(
            "limit_reached vip={} refused={} - it has as many connections as it may have, or all"
                + " its members have",
            vip.id(),
            refused);
      }
      int dropped = due(halfOpenLimits, vip, halfOpen.refused(vip.number()));
      if (dropped != 0) {
        LOG.warn(
            "half_open_limit_reached vip={} half_open={} dropped={} - new connections get no"
                + " answer: a flood of SYNs, or servers that do not answer",
            vip.id(),
            halfOpen.now(vip.number()),
            dropped);
      }
    }
  }

  /** How many were refused since a VIP was last told of; 0 if it is not to be told of now. */
  private int due(Map<Integer, Told> told, Vip vip, int refused) {
    long now = nanoTime.getAsLong();
    @Nullable Told last = told.get(vip.number());
    int since = last == null ? refused : refused - last.refused;
    if (since == 0 || (last != null && now - last.atNanos < PAUSE_NANOS)) {
      return 0;
    }
    told.put(vip.number(), new Told(refused, now));
    return since;
  }
}
