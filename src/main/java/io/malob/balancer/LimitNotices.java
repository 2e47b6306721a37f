package io.malob.balancer;

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
final class LimitNotices {
  private static final Logger LOG = LoggerFactory.getLogger(LimitNotices.class);
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Occupancy occupancy;
  private final LongSupplier nanoTime;
  private final Map<Integer, Told> told = new HashMap<>();

  private record Told(int refused, long atNanos) {}

  LimitNotices(Occupancy occupancy, LongSupplier nanoTime) {
    this.occupancy = occupancy;
    this.nanoTime = nanoTime;
  }

  /** To be called every few seconds, with all VIPs. */
  void tell(Collection<Vip> vips) {
    long now = nanoTime.getAsLong();
    for (Vip vip : vips) {
      int refused = occupancy.refusedAtVip(vip.number());
      @Nullable Told last = told.get(vip.number());
      int since = last == null ? refused : refused - last.refused;
      if (since != 0 && (last == null || now - last.atNanos >= PAUSE_NANOS)) {
        told.put(vip.number(), new Told(refused, now));
        LOG.warn(
            "limit_reached vip={} refused={} - it has as many connections as it may have, or all its"
                + " members have",
            vip.id(),
            since);
      }
    }
  }
}
