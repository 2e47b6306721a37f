package io.malob.balancer.replica;

import io.malob.balancer.connection.UnownedSwitches;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The switches of other controllers whose connections are completely known. Thread-safe. */
final class Coverage {
  /** How long after its loss what a peer has sent still counts as complete. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long ALIVE = Long.MIN_VALUE;

  private final UnownedSwitches unowned;
  private final LongSupplier nanoTime;
  private final Map<DatapathId, Covered> covered = new ConcurrentHashMap<>();

  /**
   * A switch whose connections are completely known.
   *
   * @param lostNanos since when its master has been silent, or {@link #ALIVE}
   */
  private record Covered(String peer, long lostNanos) {}

  Coverage(UnownedSwitches unowned, LongSupplier nanoTime) {
    this.unowned = unowned;
    this.nanoTime = nanoTime;
  }

  /** Whether a switch is covered, and its master has not been silent for long. */
  boolean contains(DatapathId switchId) {
    @Nullable Covered known = covered.get(switchId);
    return known != null && isFresh(known);
  }

  private boolean isFresh(Covered known) {
    return known.lostNanos == ALIVE || nanoTime.getAsLong() - known.lostNanos < FRESH_NANOS;
  }

  /** Whether a peer is master of a switch, or has just been, so that these are its last words. */
  boolean mayKnow(String peer, DatapathId switchId) {
    @Nullable Covered known = covered.get(switchId);
    return unowned.mayBeMaster(peer, switchId)
        || (known != null && known.peer.equals(peer) && !unowned.test(switchId));
  }

  /** A peer has sent everything about these switches, but not completely about the others. */
  void complete(String peer, Set<DatapathId> switches, Set<DatapathId> holes) {
    covered.replaceAll(
        (switchId, known) ->
            known.peer.equals(peer) && !switches.contains(switchId) ? silent(known) : known);
    switches.stream()
        .filter(switchId -> !holes.contains(switchId))
        .forEach(switchId -> covered.put(switchId, new Covered(peer, ALIVE)));
  }

  /** A peer is lost: what it has sent counts for a while. */
  void lost(String peer) {
    covered.replaceAll((switchId, known) -> known.peer.equals(peer) ? silent(known) : known);
  }

  private Covered silent(Covered known) {
    return known.lostNanos == ALIVE ? new Covered(known.peer, nanoTime.getAsLong()) : known;
  }

  /** A message of a peer is lost. */
  void remove(String peer) {
    covered.values().removeIf(known -> known.peer.equals(peer));
  }

  /** A connection of a peer at a switch is missing. */
  void remove(String peer, DatapathId switchId) {
    covered.computeIfPresent(switchId, (same, known) -> known.peer.equals(peer) ? null : known);
  }

  /** Removes the switches whose masters have been silent for too long; returns the unowned ones. */
  Set<DatapathId> removeOutdated() {
    Set<DatapathId> outdated = new HashSet<>();
    covered.forEach(
        (switchId, known) -> {
          if (!isFresh(known) && covered.remove(switchId, known) && unowned.test(switchId)) {
            outdated.add(switchId);
          }
        });
    return outdated;
  }
}
