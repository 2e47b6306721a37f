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
 * Logs the VIPs whose limits reject connections, each at most once a minute. For one thread at a
 * time.
 */
public final class LimitWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(LimitWarnings.class);
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ConnectionLimiter connectionLimiter;
  private final HalfOpenLimit halfOpen;
  private final LongSupplier nanoTime;
  private final Map<Integer, Warning> limits = new HashMap<>();
  private final Map<Integer, Warning> halfOpenLimits = new HashMap<>();

  private record Warning(int refused, long atNanos) {}

  public LimitWarnings(
      ConnectionLimiter connectionLimiter, HalfOpenLimit halfOpen, LongSupplier nanoTime) {
    this.connectionLimiter = connectionLimiter;
    this.halfOpen = halfOpen;
    this.nanoTime = nanoTime;
  }

  /** Logs what is due. Call it every few seconds, with all VIPs. */
  public void log(Collection<Vip> vips) {
    for (Vip vip : vips) {
      int refused = countIfDue(limits, vip, connectionLimiter.refusedAtVip(vip.number()));
      if (refused != 0) {
        LOG.warn(
            "limit_reached vip={} refused={} - the VIP or all its members have reached"
                + " their connection limits",
            vip.id(),
            refused);
      }
      int dropped = countIfDue(halfOpenLimits, vip, halfOpen.refused(vip.number()));
      if (dropped != 0) {
        LOG.warn(
            "half_open_limit_reached vip={} half_open={} dropped={} - new connections are dropped"
                + " without an answer; the cause is a SYN flood or servers that do not answer",
            vip.id(),
            halfOpen.now(vip.number()),
            dropped);
      }
    }
  }

  /**
   * How many connections were rejected since the last warning about a VIP; 0 if no warning is due.
   */
  private int countIfDue(Map<Integer, Warning> logged, Vip vip, int refused) {
    long now = nanoTime.getAsLong();
    @Nullable Warning last = logged.get(vip.number());
    int since = last == null ? refused : refused - last.refused;
    if (since == 0 || (last != null && now - last.atNanos < PAUSE_NANOS)) {
      return 0;
    }
    logged.put(vip.number(), new Warning(refused, now));
    return since;
  }
}
