package io.malob.balancer.admission;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Switches that have gone not long ago, or are just back, so that a way over them may be there
 * again in a moment. After a restart, these may be any. Thread-safe; never blocks.
 */
public final class SwitchOutages {
  /** A switch whose controller, or whose control network, restarts is back by then. */
  public static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The links of a switch that comes back are found one after the other. */
  static final long BACK_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Stands for all switches that an earlier run has known and this one has not seen yet. */
  private static final DatapathId UNSEEN = DatapathId.NONE;

  private final LongSupplier nanoTime;
  private final Map<DatapathId, Long> hopeUntilNanos = new ConcurrentHashMap<>();
  private final Map<DatapathId, Long> goneSinceNanos = new ConcurrentHashMap<>();

  public SwitchOutages(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** A switch that was there has gone. */
  public void gone(DatapathId switchId) {
    long now = nanoTime.getAsLong();
    hopeUntilNanos.put(switchId, now + AWAY_NANOS);
    goneSinceNanos.putIfAbsent(switchId, now);
  }

  /** A switch that had gone is back. */
  public void back(DatapathId switchId) {
    hopeUntilNanos.put(switchId, nanoTime.getAsLong() + BACK_NANOS);
    goneSinceNanos.remove(switchId);
  }

  /**
   * Connections of an earlier run are taken over, and a switch is there for the first time in this
   * run: others may be on their way.
   */
  public void restarted() {
    hopeUntilNanos.put(UNSEEN, nanoTime.getAsLong() + AWAY_NANOS);
  }

  /** Whether any switch is away. */
  public boolean isAnyAway() {
    return !goneSinceNanos.isEmpty();
  }

  /** The switches that have been away for longer than an outage takes, and since when. */
  public Map<DatapathId, Long> lost() {
    long now = nanoTime.getAsLong();
    Map<DatapathId, Long> lost = new HashMap<>(goneSinceNanos);
    lost.values().removeIf(since -> now - since < AWAY_NANOS);
    return lost;
  }

  /** Whether there may soon be a way where there is none now. */
  public boolean mayHeal() {
    if (hopeUntilNanos.isEmpty()) {
      return false;
    }
    long now = nanoTime.getAsLong();
    return hopeUntilNanos.values().stream().anyMatch(until -> until - now > 0);
  }

  /** To be called every few seconds: forgets what is over. */
  public void sweep() {
    long now = nanoTime.getAsLong();
    hopeUntilNanos.values().removeIf(until -> until - now <= 0);
  }
}
