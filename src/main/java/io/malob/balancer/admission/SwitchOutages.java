package io.malob.balancer.admission;

import com.google.common.collect.Maps;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Tracks switches that disconnected recently or have just returned. Paths over them may be
 * available again in a moment. After a controller restart, any switch may be one of these.
 * Thread-safe; never blocks.
 */
public final class SwitchOutages {
  /** By then, a switch is back after a restart of its controller or control network. */
  public static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The links of a returning switch are discovered one after the other. */
  static final long BACK_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Stands for all switches of an earlier run that have not connected to this run yet. */
  private static final DatapathId UNSEEN = DatapathId.NONE;

  private final LongSupplier nanoTime;
  private final Map<DatapathId, Long> mayHealUntilNanos = new ConcurrentHashMap<>();
  private final Map<DatapathId, Long> goneSinceNanos = new ConcurrentHashMap<>();

  public SwitchOutages(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** A switch has disconnected. */
  public void gone(DatapathId switchId) {
    long now = nanoTime.getAsLong();
    mayHealUntilNanos.put(switchId, now + AWAY_NANOS);
    goneSinceNanos.putIfAbsent(switchId, now);
  }

  /** A switch has reconnected. */
  public void back(DatapathId switchId) {
    mayHealUntilNanos.put(switchId, nanoTime.getAsLong() + BACK_NANOS);
    goneSinceNanos.remove(switchId);
  }

  /**
   * A switch has connected for the first time in this run, and connections of an earlier run are
   * being recovered: other switches may follow.
   */
  public void restarted() {
    mayHealUntilNanos.put(UNSEEN, nanoTime.getAsLong() + AWAY_NANOS);
  }

  /** Whether any switch is away. */
  public boolean isAnyAway() {
    return !goneSinceNanos.isEmpty();
  }

  /** The switches that have been away for longer than a usual outage, and since when. */
  public Map<DatapathId, Long> lost() {
    long now = nanoTime.getAsLong();
    return new HashMap<>(Maps.filterValues(goneSinceNanos, since -> now - since >= AWAY_NANOS));
  }

  /** Whether a missing path may soon be available again. */
  public boolean mayHeal() {
    if (mayHealUntilNanos.isEmpty()) {
      return false;
    }
    long now = nanoTime.getAsLong();
    return mayHealUntilNanos.values().stream().anyMatch(until -> until - now > 0);
  }

  /** Removes past outages. Call it every few seconds. */
  public void sweep() {
    long now = nanoTime.getAsLong();
    mayHealUntilNanos.values().removeIf(until -> until - now <= 0);
  }
}
