package io.malob.controller.core;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.PortChangeType;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Changes of ports whose notification is pending. Keeps max two per port: its latest state and,
 * before it, that the port was down or removed, which ends its links. So a switch whose ports
 * change faster than listeners handle it costs a bounded amount of memory. Thread-safe.
 *
 * @param <S> one connection of a switch
 */
final class PortChanges<S> {
  private final int maxPorts;
  private final Map<S, Map<OFPort, Pending>> bySwitch = new HashMap<>();

  /** A port as a switch has described it, and the kind of change. */
  record Change(OFPortDesc port, PortChangeType type) {
    boolean isLoss() {
      return type == PortChangeType.DOWN || type == PortChangeType.DELETE;
    }
  }

  /** The result of adding a change. */
  enum Outcome {
    /** Listeners must be notified: {@link #take}. */
    NEW,
    /** An earlier change of the same port is pending, and listeners will get both. */
    MERGED,
    /** Changes of too many ports of the switch are pending: this one is lost. */
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
   * @param maxPorts the max number of ports of each switch with pending changes
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

  /** Removes the pending changes of a port, oldest first. */
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
