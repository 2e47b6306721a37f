package io.malob.controller.channel;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import net.floodlightcontroller.core.PortChangeType;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.types.OFPort;

/** The ports of one switch. Changed by the channel's thread, read by any. */
final class SwitchPorts {
  /** The max plausible number of ports of a switch. */
  static final int MAX = 4_096;

  private volatile ImmutableSortedMap<OFPort, OFPortDesc> byNumber = ImmutableSortedMap.of();

  /** All ports, by number; a snapshot. */
  ImmutableSortedMap<OFPort, OFPortDesc> all() {
    return byNumber;
  }

  /** Adds ports, or replaces those of the same number; false, and none, if there are too many. */
  boolean addAll(Collection<OFPortDesc> ports) {
    Map<OFPort, OFPortDesc> changed = new TreeMap<>(byNumber);
    ports.forEach(port -> changed.put(port.getPortNo(), port));
    boolean hasRoom = changed.size() <= MAX;
    if (hasRoom) {
      byNumber = ImmutableSortedMap.copyOf(changed);
    }
    return hasRoom;
  }

  /** Whether there is room for the port of a message. */
  boolean hasRoomFor(OFPortStatus status) {
    return status.getReason() == OFPortReason.DELETE
        || byNumber.size() < MAX
        || byNumber.containsKey(status.getDesc().getPortNo());
  }

  /** Updates a port from a message of the switch, and returns the kind of change. */
  PortChangeType update(OFPortStatus status) {
    OFPortDesc port = status.getDesc();
    Map<OFPort, OFPortDesc> changed = new TreeMap<>(byNumber);
    boolean delete = status.getReason() == OFPortReason.DELETE;
    OFPortDesc before =
        delete ? changed.remove(port.getPortNo()) : changed.put(port.getPortNo(), port);
    byNumber = ImmutableSortedMap.copyOf(changed);
    if (delete) {
      return PortChangeType.DELETE;
    } else if (before == null) {
      return PortChangeType.ADD;
    } else if (before.isEnabled() == port.isEnabled()) {
      return PortChangeType.OTHER_UPDATE;
    }
    return port.isEnabled() ? PortChangeType.UP : PortChangeType.DOWN;
  }
}
