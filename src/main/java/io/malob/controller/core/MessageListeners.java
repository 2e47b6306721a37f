package io.malob.controller.core;

import io.malob.controller.channel.RareWarning;
import io.malob.module.StandbyListener;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The message listeners of each type, in the order that they ask for. Safe for use by several
 * threads; dispatching takes no lock. A listener that throws is skipped, counted and logged at a
 * limited rate.
 */
final class MessageListeners {
  private static final Logger logger = LoggerFactory.getLogger(MessageListeners.class);
  private static final IOFMessageListener[] NONE = {};

  /** Never changed: replaced as a whole, and so are the arrays. */
  private volatile Map<OFType, IOFMessageListener[]> byType = new EnumMap<>(OFType.class);

  private final RareWarning failures =
      new RareWarning(logger, "message_listener_failed", System::nanoTime);

  /**
   * Adds a listener.
   *
   * @throws IllegalArgumentException if listeners of this type would have to wait for each other
   */
  synchronized void add(OFType type, IOFMessageListener listener) {
    List<IOFMessageListener> listeners = new ArrayList<>(of(type));
    if (!listeners.contains(listener)) {
      listeners.add(listener);
      set(type, listeners);
    }
  }

  /** Removes a listener, if it is there. */
  synchronized void remove(OFType type, IOFMessageListener listener) {
    List<IOFMessageListener> listeners = new ArrayList<>(of(type));
    listeners.remove(listener);
    set(type, listeners);
  }

  private void set(OFType type, List<IOFMessageListener> listeners) {
    Map<OFType, IOFMessageListener[]> changed = new EnumMap<>(byType);
    changed.put(type, ListenerOrder.of(type, listeners).toArray(NONE));
    byType = changed;
  }

  private List<IOFMessageListener> of(OFType type) {
    return List.of(byType.getOrDefault(type, NONE));
  }

  /** The types that have listeners, with these in the order in which they are called. */
  Map<OFType, List<IOFMessageListener>> all() {
    Map<OFType, List<IOFMessageListener>> all = new EnumMap<>(OFType.class);
    for (OFType type : OFType.values()) {
      List<IOFMessageListener> listeners = of(type);
      if (!listeners.isEmpty()) {
        all.put(type, listeners);
      }
    }
    return all;
  }

  /**
   * Calls the listeners of this message's type until one of them stops it. Only a {@link
   * StandbyListener} gets packet-ins of a switch of which this controller is a slave.
   */
  void dispatch(IOFSwitch sw, OFMessage message) {
    IOFMessageListener[] listeners = byType.getOrDefault(message.getType(), NONE);
    if (listeners.length == 0) {
      return;
    }
    boolean standsBy =
        message.getType() == OFType.PACKET_IN
            && sw.getControllerRole() == OFControllerRole.ROLE_SLAVE;
    FloodlightContext context = new FloodlightContext();
    for (IOFMessageListener listener : listeners) {
      if (standsBy && !(listener instanceof StandbyListener)) {
        continue;
      }
      try {
        if (listener.receive(sw, message, context) == Command.STOP) {
          return;
        }
      } catch (RuntimeException e) {
        failures.warn(
            "Listener " + listener.getName() + " failed at a " + message.getType() + " message", e);
      }
    }
  }

  /** How often a listener has thrown. */
  long failureCount() {
    return failures.count();
  }
}
