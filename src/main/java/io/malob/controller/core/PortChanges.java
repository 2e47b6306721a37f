package io.malob.controller.core;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.PortChangeType;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Changes of ports that listeners have not been told of yet. Of each port two are kept at most: its
 * latest state and, before it, that the port was down or away, which ends its links. So a switch
 * whose ports change faster than listeners can be told costs a bounded amount of memory.
 * Thread-safe.
 *
 * @param <S> one connection of a switch
 */
final class PortChanges<S> {
  private final int maxPorts;
  private final Map<S, Map<OFPort, Pending>> bySwitch = new HashMap<>();

  /** A port as a switch has described it, and what that changed. */
  record Change(OFPortDesc port, PortChangeType type) {
    boolean isLoss() {
      return type == PortChangeType.DOWN || type == PortChangeType.DELETE;
    }
  }

  /** What becomes of a change. */
  enum Outcome {
    /** Listeners are to be told: {@link #take}. */
    NEW,
    /** An earlier one of the same port waits, and listeners will be told of both. */
    MERGED,
    /** Changes of too many ports of the switch wait: this one is lost. */
    FULL
  }

  private record Pending(@Nullable Change loss, Change latest) {
    Pending then(Change next) {
      boolean isDetail = next.type == PortChangeType.OTHER_UPDATE;
      return new Pending(
          latest.isLoss() && !isDetail ? latest : loss,
          isDetail ? new Change(next.port, latest.type) : next);
    }

    List<Change> told() {
      return loss == null || latest.isLoss() ? List.of(latest) : List.of(loss, latest);
    }
  }

  /**
   * No changes.
   *
   * @param maxPorts of how many ports of each switch changes may wait
   */
  PortChanges(int maxPorts) {
    this.maxPorts = maxPorts;
  }

  /** A port of a switch has changed. */
  synchronized Outcome add(S sw, Change change) {
    Map<OFPort, Pending> ports = bySwitch.computeIfAbsent(sw, any -> new HashMap<>());
    OFPort number = change.port.getPortNo();
    @Nullable Pending before = ports.get(number);
    if (before == null && ports.size() >= maxPorts) {
      return Outcome.FULL;
    }
    ports.put(number, before == null ? new Pending(null, change) : before.then(change));
    return before == null ? Outcome.NEW : Outcome.MERGED;
  }

  /** The changes of a port, oldest first; they wait no more. */
  synchronized List<Change> take(S sw, OFPort port) {
    @Nullable Map<OFPort, Pending> ports = bySwitch.get(sw);
    if (ports == null) {
      return List.of();
    }
    @Nullable Pending pending = ports.remove(port);
    if (ports.isEmpty()) {
      bySwitch.remove(sw);
    }
    return pending == null ? List.of() : pending.told();
  }
}
