package io.malob.controller.network.links;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The enabled ports: when each is probed next, and whether it has been probed long enough to
 * exclude an undiscovered link (then it is settled). New ports are probed in quick succession at
 * first. LOCAL is the switch itself, which is a host: it has no link, so it settles without probes.
 * Times are milliseconds of one clock. For one thread.
 */
final class ProbeSchedule {
  /** After the first probes of a port; later ones follow at the regular interval. */
  private static final long[] FIRST_DELAYS = {200, 300, 500, 1_000};

  private static final OFPort FIRST_PORT = OFPort.of(0);
  private static final OFPort LAST_PORT = OFPort.of(0xffff_ffff);

  private final LinkTimes times;
  private final NavigableMap<NodePortTuple, PortState> ports = new TreeMap<>();

  /** No port is due before that time. */
  private long nextDue = Long.MAX_VALUE;

  /** Whether a port may be unsettled. */
  private boolean mayBeUnsettled;

  private static final class PortState {
    int sent;
    long nextProbe;
    long settlesAt = Long.MAX_VALUE;
    long hold;
    boolean settled;
  }

  ProbeSchedule(LinkTimes times) {
    this.times = times;
  }

  /**
   * Adds a port, which settles after that time; false if it is already known. If another controller
   * probes it, that is the lifetime of a link: by then, all probes of that controller have come.
   */
  boolean add(NodePortTuple port, long now, long hold) {
    if (ports.containsKey(port)) {
      return false;
    }
    start(port, now, hold);
    return true;
  }

  /**
   * This controller probes the ports of a switch from now on. Ports that have settled stay so; the
   * others settle as new ports do.
   */
  void takeOver(DatapathId switchId, long now) {
    for (NodePortTuple port : List.copyOf(portsOf(switchId).keySet())) {
      PortState state = ports.get(port);
      if (state == null || state.settled) {
        hurry(port, now);
      } else {
        start(port, now, times.settle());
      }
    }
  }

  /** A live view: many switches change their master at a time, and each has few of all ports. */
  private Map<NodePortTuple, PortState> portsOf(DatapathId switchId) {
    return ports.subMap(
        new NodePortTuple(switchId, FIRST_PORT),
        true,
        new NodePortTuple(switchId, LAST_PORT),
        true);
  }

  private void start(NodePortTuple port, long now, long hold) {
    PortState state = new PortState();
    if (isLocal(port)) {
      state.nextProbe = Long.MAX_VALUE;
      state.settlesAt = now;
    } else {
      state.nextProbe = now;
      state.hold = hold;
    }
    ports.put(port, state);
    nextDue = Math.min(nextDue, state.nextProbe);
    mayBeUnsettled = true;
  }

  boolean remove(NodePortTuple port) {
    return ports.remove(port) != null;
  }

  void removeSwitch(DatapathId switchId) {
    portsOf(switchId).clear();
  }

  /** Whether a port is enabled and may lead to a switch. */
  boolean mayBeLinked(NodePortTuple port) {
    return ports.containsKey(port) && !isLocal(port);
  }

  private static boolean isLocal(NodePortTuple port) {
    return port.getPortId().equals(OFPort.LOCAL);
  }

  /** Whether a probe has left a port already. */
  boolean wasProbed(NodePortTuple port) {
    PortState state = ports.get(port);
    return state != null && state.sent > 0;
  }

  /**
   * A port lost its link although it is up. The cable may be gone, or only the probes were lost, so
   * the port settles again only after the lifetime of a link.
   */
  void restart(NodePortTuple port, long now) {
    if (ports.containsKey(port)) {
      start(port, now, times.linkLife());
    }
  }

  /** Probes a port as soon as possible. */
  void hurry(NodePortTuple port, long now) {
    PortState state = ports.get(port);
    if (state != null && !isLocal(port)) {
      state.nextProbe = now;
      nextDue = Math.min(nextDue, now);
    }
  }

  /** The ports to probe now. */
  List<NodePortTuple> due(long now) {
    if (nextDue > now) {
      return List.of();
    }
    List<NodePortTuple> due = new ArrayList<>();
    nextDue = Long.MAX_VALUE;
    ports.forEach(
        (port, state) -> {
          if (state.nextProbe <= now) {
            due.add(port);
          }
          nextDue = Math.min(nextDue, state.nextProbe);
        });
    return due;
  }

  /** A probe was sent, or failed; then the port stays unsettled and is tried again. */
  void probed(NodePortTuple port, long now, boolean sent) {
    @Nullable PortState state = ports.get(port);
    if (state == null) {
      return;
    }
    state.nextProbe =
        now
            + (state.sent < FIRST_DELAYS.length
                ? Math.min(FIRST_DELAYS[state.sent], times.probeInterval())
                : times.probeInterval());
    nextDue = Math.min(nextDue, state.nextProbe);
    if (sent) {
      if (state.sent == 0) {
        state.settlesAt = now + state.hold;
      }
      state.sent++;
    }
  }

  /** Settles the ports that are due, and returns them. */
  List<NodePortTuple> settle(long now) {
    if (!mayBeUnsettled) {
      return List.of();
    }
    List<NodePortTuple> settled = new ArrayList<>();
    mayBeUnsettled = false;
    ports.forEach(
        (port, state) -> {
          boolean isProbed = state.sent > 1 || isLocal(port);
          if (!state.settled && isProbed && state.settlesAt <= now) {
            state.settled = true;
            settled.add(port);
          }
          mayBeUnsettled |= !state.settled;
        });
    return settled;
  }

  /** All ports of each switch. */
  ImmutableSetMultimap<DatapathId, OFPort> ports() {
    ImmutableSetMultimap.Builder<DatapathId, OFPort> result = ImmutableSetMultimap.builder();
    ports.keySet().forEach(port -> result.put(port.getNodeId(), port.getPortId()));
    return result.build();
  }

  ImmutableSet<NodePortTuple> settledPorts() {
    ImmutableSet.Builder<NodePortTuple> result = ImmutableSet.builder();
    ports.forEach(
        (port, state) -> {
          if (state.settled) {
            result.add(port);
          }
        });
    return result.build();
  }
}
