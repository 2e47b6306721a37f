package io.malob.controller.network.devices;

import io.malob.controller.core.ListenerOrder;
import java.util.ArrayList;
import java.util.List;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listeners for devices, in their requested order. Listeners may be added by any thread;
 * changes come from one.
 */
final class DeviceListeners {
  private static final Logger log = LoggerFactory.getLogger(DeviceListeners.class);
  private static final String TYPE = "device";

  private volatile List<IDeviceListener> listeners = List.of();

  /** Adds a listener. */
  synchronized void add(IDeviceListener listener) {
    List<IDeviceListener> added = new ArrayList<>(listeners);
    added.add(listener);
    listeners = ListenerOrder.of(TYPE, added);
  }

  void changed(DeviceTracker.Change change, Device device) {
    for (IDeviceListener listener : listeners) {
      try {
        change.event.accept(listener, device);
      } catch (RuntimeException e) {
        log.error(
            "host_listener_failed listener=\"{}\" host=\"{}\"", listener.getName(), device, e);
      }
    }
  }
}
