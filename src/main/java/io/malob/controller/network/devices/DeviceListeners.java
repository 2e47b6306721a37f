package io.malob.controller.network.devices;

import java.util.ArrayList;
import java.util.List;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listeners for devices, in their requested order. Listeners may be added by any thread;
 * changes come from one.
 */
final class DeviceListeners implements DeviceTracker.Listener {
  private static final Logger log = LoggerFactory.getLogger(DeviceListeners.class);
  private static final String TYPE = "device";

  private volatile List<IDeviceListener> listeners = List.of();

  /** Adds a listener before the first that must come after it, else at the end. */
  synchronized void add(IDeviceListener listener) {
    List<IDeviceListener> ordered = new ArrayList<>(listeners);
    int at = 0;
    while (at < ordered.size() && !mustFollow(ordered.get(at), listener)) {
      at++;
    }
    ordered.add(at, listener);
    listeners = List.copyOf(ordered);
  }

  private static boolean mustFollow(IDeviceListener later, IDeviceListener earlier) {
    return later.isCallbackOrderingPrereq(TYPE, earlier.getName())
        || earlier.isCallbackOrderingPostreq(TYPE, later.getName());
  }

  @Override
  public void changed(DeviceTracker.Change change, Device device) {
    for (IDeviceListener listener : listeners) {
      try {
        tell(listener, change, device);
      } catch (RuntimeException e) {
        log.error(
            "host_listener_failed listener=\"{}\" host=\"{}\"", listener.getName(), device, e);
      }
    }
  }

  private static void tell(IDeviceListener listener, DeviceTracker.Change change, Device device) {
    switch (change) {
      case ADDED -> listener.deviceAdded(device);
      case MOVED -> listener.deviceMoved(device);
      case IPV4_ADDRESSES -> listener.deviceIPV4AddrChanged(device);
      case IPV6_ADDRESSES -> listener.deviceIPV6AddrChanged(device);
      case REMOVED -> listener.deviceRemoved(device);
    }
  }
}
