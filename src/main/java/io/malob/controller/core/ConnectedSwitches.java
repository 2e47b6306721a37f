package io.malob.controller.core;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.malob.controller.channel.OpenFlowSwitch;
import io.malob.controller.channel.SwitchEvents;
import io.malob.controller.guard.Refusal;
import io.malob.controller.guard.RefusalCounts;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.PortChangeType;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The switches that are connected, each with one connection. If a newer connection of a datapath id
 * is served although the older one is not yet gone, it replaces that. Safe for use by several
 * threads.
 *
 * <p>Listeners are told on one thread of their own, in the order of the events; a switch that is
 * replaced is first removed, then added. Messages do not wait for that thread: the first ones of a
 * switch can be there before its {@code switchAdded}.
 */
final class ConnectedSwitches implements IOFSwitchService, SwitchEvents, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(ConnectedSwitches.class);

  /** The max number of ports of a switch: a switch with changes of more ports is disconnected. */
  private static final int MAX_CHANGED_PORTS = 4_096;

  private final ConcurrentHashMap<DatapathId, OpenFlowSwitch> switches = new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<IOFSwitchListener> listeners = new CopyOnWriteArrayList<>();
  private final PortChanges<OpenFlowSwitch> portChanges = new PortChanges<>(MAX_CHANGED_PORTS);
  private final MessageListeners messageListeners;
  private final RefusalCounts refusals;
  private final ExecutorService notifier =
      Executors.newSingleThreadExecutor(
          new ThreadFactoryBuilder().setNameFormat("switch-events").setDaemon(true).build());

  ConnectedSwitches(MessageListeners messageListeners, RefusalCounts refusals) {
    this.messageListeners = messageListeners;
    this.refusals = refusals;
  }

  // Change and notification are one step, so that the events of two connections of one datapath id
  // are never in the wrong order. The lock is held briefly, and only when switches connect or
  // disconnect.

  @Override
  public synchronized void activated(OpenFlowSwitch sw) {
    DatapathId id = sw.getId();
    OpenFlowSwitch older = switches.put(id, sw);
    if (older != null) {
      older.disconnect();
      publish(listener -> listener.switchRemoved(id));
    }
    publish(listener -> listener.switchAdded(id));
    if (sw.getStatus().isControllable()) {
      publish(listener -> listener.switchActivated(id));
    }
  }

  @Override
  public synchronized void roleChanged(OpenFlowSwitch sw) {
    DatapathId id = sw.getId();
    if (switches.get(id) != sw) {
      return;
    }
    if (sw.getStatus().isControllable()) {
      publish(listener -> listener.switchActivated(id));
    } else {
      publish(listener -> listener.switchDeactivated(id));
    }
  }

  @Override
  public synchronized void disconnected(OpenFlowSwitch sw) {
    if (switches.remove(sw.getId(), sw)) {
      publish(listener -> listener.switchRemoved(sw.getId()));
    }
  }

  @Override
  public void portChanged(OpenFlowSwitch sw, OFPortDesc port, PortChangeType change) {
    if (switches.get(sw.getId()) != sw) {
      return;
    }
    switch (portChanges.add(sw, new PortChanges.Change(port, change))) {
      case NEW -> execute(() -> publishPort(sw, port.getPortNo()));
      case MERGED -> {}
      case FULL -> {
        refused(Refusal.PORTS_TOO_MANY);
        logger.warn(
            "port_changes_too_many switch={} ports={} - it is disconnected",
            sw.getId(),
            MAX_CHANGED_PORTS);
        sw.disconnect();
      }
    }
  }

  private void publishPort(OpenFlowSwitch sw, OFPort port) {
    for (PortChanges.Change each : portChanges.take(sw, port)) {
      listeners.forEach(
          listener ->
              publishTo(
                  listener, one -> one.switchPortChanged(sw.getId(), each.port(), each.type())));
    }
  }

  @Override
  public void refused(Refusal refusal) {
    refusals.count(refusal);
  }

  @Override
  public void received(OpenFlowSwitch sw, OFMessage message) {
    messageListeners.dispatch(sw, message);
  }

  private void publish(Consumer<IOFSwitchListener> event) {
    execute(() -> listeners.forEach(listener -> publishTo(listener, event)));
  }

  private void execute(Runnable notification) {
    try {
      notifier.execute(notification);
    } catch (RejectedExecutionException e) {
      logger.debug("listeners_not_told - the controller stops", e);
    }
  }

  private static void publishTo(IOFSwitchListener listener, Consumer<IOFSwitchListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException e) {
      logger.warn("switch_listener_failed listener={}", listener.getClass().getName(), e);
    }
  }

  @Override
  public Map<DatapathId, IOFSwitch> getAllSwitchMap() {
    return ImmutableMap.copyOf(switches);
  }

  @Override
  public @Nullable IOFSwitch getSwitch(DatapathId switchId) {
    return switches.get(switchId);
  }

  @Override
  public @Nullable IOFSwitch getActiveSwitch(DatapathId switchId) {
    OpenFlowSwitch sw = switches.get(switchId);
    return sw != null && sw.isActive() ? sw : null;
  }

  /** Subscribes to future changes; there are no events for switches that are already connected. */
  @Override
  public void addOFSwitchListener(IOFSwitchListener listener) {
    listeners.addIfAbsent(listener);
  }

  @Override
  public Set<DatapathId> getAllSwitchDpids() {
    return ImmutableSet.copyOf(switches.keySet());
  }

  /** Ends notifications; a running one is finished. */
  @Override
  public void close() {
    notifier.shutdown();
  }
}
