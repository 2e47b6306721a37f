package io.malob.controller.core;

import io.malob.controller.channel.RareWarning;
import io.malob.module.StandbyListener;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
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
final class MessageListeners implements IFloodlightProviderService {
  private static final Logger logger = LoggerFactory.getLogger(MessageListeners.class);
  private final Runnable listen;

  /** Never changed: replaced as a whole. */
  private volatile Map<OFType, List<IOFMessageListener>> byType = new EnumMap<>(OFType.class);

  private final RareWarning failures =
      new RareWarning(logger, "message_listener_failed", System::nanoTime);

  /** No listeners; {@code listen} opens the port for switches. */
  MessageListeners(Runnable listen) {
    this.listen = listen;
  }

  /**
   * Starts listening for switches and returns; called once, when all modules are up.
   *
   * @throws java.io.UncheckedIOException if the port cannot be bound
   */
  @Override
  public void run() {
    listen.run();
  }

  /**
   * Adds a listener.
   *
   * @throws IllegalArgumentException if listeners of this type would have to wait for each other
   */
  @Override
  public synchronized void addOFMessageListener(OFType type, IOFMessageListener listener) {
    List<IOFMessageListener> listeners = new ArrayList<>(of(type));
    if (!listeners.contains(listener)) {
      listeners.add(listener);
      Map<OFType, List<IOFMessageListener>> changed = new EnumMap<>(byType);
      changed.put(type, ListenerOrder.of(type, listeners));
      byType = changed;
    }
  }

  private List<IOFMessageListener> of(OFType type) {
    return byType.getOrDefault(type, List.of());
  }

  /** The types that have listeners, with these in the order in which they are called. */
  @Override
  public Map<OFType, List<IOFMessageListener>> getListeners() {
    return Collections.unmodifiableMap(byType);
  }

  /**
   * Calls the listeners of this message's type until one of them stops it. Only a {@link
   * StandbyListener} gets packet-ins of a switch of which this controller is a slave.
   */
  void dispatch(IOFSwitch sw, OFMessage message) {
    List<IOFMessageListener> listeners = of(message.getType());
    if (listeners.isEmpty()) {
      return;
    }
    boolean standsBy =
        message.getType() == OFType.PACKET_IN
            && sw.getControllerRole() == OFControllerRole.ROLE_SLAVE;
    FloodlightContext context = new FloodlightContext();
    for (int i = 0; i < listeners.size(); i++) { // without an iterator for each message
      IOFMessageListener listener = listeners.get(i);
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
